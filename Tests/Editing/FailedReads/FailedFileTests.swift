import ConformanceSupport
import SwiftData
import Testing

@Suite("A value whose file cannot be read")
struct FailedFileTests {
  private static let portrait = Data(repeating: 7, count: 300_000)

  private func makeStore() throws -> TestStore {
    let store = try TestStore.disturbed(.file)
    let context = store.context()
    try context.artist().portrait = Self.portrait
    try context.save()
    return store
  }

  /// What happens to the file: it is deleted, or its end is cut off.
  enum Loss: String, CaseIterable, CustomTestStringConvertible {
    case removed, truncated

    var testDescription: String { rawValue }

    func befall(_ file: URL) throws {
      switch self {
      case .removed: try FileManager.default.removeItem(at: file)
      case .truncated: try Data(repeating: 7, count: 5).write(to: file)
      }
    }
  }

  @Test(
    "an in-place change of the unreadable value is not saved; the value is read once the file is restored",
    arguments: Loss.allCases)
  func changeInPlace(_ loss: Loss) throws {
    let store = try makeStore()
    let context = store.context()
    let artist = try context.artist()
    let file = try #require(try store.externalFiles().first)
    let content = try Data(contentsOf: file)
    try loss.befall(file)
    artist.portrait?.append(1)
    #expect(throws: SwiftDataError.corruptValue) { try context.save() }
    try content.write(to: file)
    #expect(artist.portrait == Self.portrait)
    artist.portrait?.append(1)
    try context.save()
    #expect(try store.storedArtist().model.portrait == Self.portrait + [1])
  }

  @Test(
    "after one save has reported the failure, the next save writes changes of other properties",
    arguments: Loss.allCases)
  func lost(_ loss: Loss) throws {
    let store = try makeStore()
    let context = store.context()
    let artist = try context.artist()
    let file = try #require(try store.externalFiles().first)
    let content = try Data(contentsOf: file)
    try loss.befall(file)
    _ = artist.portrait
    artist.name = "Eve"
    let error = #expect(throws: SwiftDataError.corruptValue) { try context.save() }
    #expect(error?.explanation?.contains("portrait") == true)
    try context.save()
    try content.write(to: file)
    let stored = try store.context().artist("Eve")
    #expect(stored.portrait == Self.portrait)
  }

  @Test("the value may be replaced if the program has not read it, or after a save has reported the failure")
  func replacement() throws {
    let store = try makeStore()
    let context = store.context()
    let artist = try context.artist()
    try FileManager.default.removeItem(at: try #require(try store.externalFiles().first))
    _ = artist.portrait
    artist.portrait = Data([1])
    #expect(throws: SwiftDataError.corruptValue) { try context.save() }
    _ = artist.portrait
    artist.portrait = Data([1])
    try context.save()
    let (stored, other) = try store.storedArtist()
    #expect(stored.portrait == Data([1]))
    stored.portrait = Data([2])
    try other.save()
    #expect(try store.storedArtist().model.portrait == Data([2]))
  }

  @Test("a fetch throws if its predicate has to read the value in memory")
  func search() throws {
    let store = try makeStore()
    try FileManager.default.removeItem(at: try #require(try store.externalFiles().first))
    let context = store.context()
    let seven = UInt8(7)
    let descriptor = FetchDescriptor<Artist>(predicate: #Predicate { $0.portrait?.contains(seven) == true })
    #expect(throws: SwiftDataError.corruptValue) { try context.fetch(descriptor) }
  }
}
