import ConformanceSupport
import SwiftData
import Testing

/// The names of external files are numbers. A table of the store contains the next number. This table may be missing or
/// outdated after another program restores the store from a dump.
@Suite("External files if the stored number of the next file is missing or too low")
struct FileNumberTests {
  /// Saves photos whose files have the numbers 2, 3 and 5. The files 1 and 4 were deleted with their photos.
  private func store() throws -> TestStore {
    let store = try TestStore.ofPhotos(.file, image: .large(1))
    let context = store.context()
    for number in 2...5 {
      context.insert(Photo("\(number)", image: .large(UInt8(number))))
      try context.save()
    }
    for title in ["a", "4"] { context.delete(try context.photo(title)) }
    try context.save()
    #expect(try store.externalFiles() == ["2", "3", "5"])
    return store
  }

  private func expectPhotos(_ store: TestStore, _ added: [Int] = []) throws {
    let photos = try store.context().fetch(FetchDescriptor<Photo>())
    let numbers = [2, 3, 5] + added
    #expect(photos.map { Int($0.title) } == numbers)
    #expect(photos.map(\.image) == numbers.map { .large(UInt8($0)) })
  }

  private static let changes = [
    "DELETE FROM _osd_sequence", "DELETE FROM _osd_sequence WHERE entity = 'external files'",
    "UPDATE _osd_sequence SET next = 2 WHERE entity = 'external files'",
    "UPDATE _osd_sequence SET next = 4 WHERE entity = 'external files'",
    "UPDATE _osd_sequence SET next = 5 WHERE entity = 'external files'",
  ]

  @Test("saves remove and overwrite no file of a row, regardless of the number in the table", arguments: changes)
  func saving(_ change: String) throws {
    let store = try store()
    try store.tamper(change)
    try store.reopen()
    try expectPhotos(store)
    let context = store.context()
    for number in [6, 7] { context.insert(Photo("\(number)", image: .large(UInt8(number)))) }
    try context.save()
    for number in [8, 9] {
      context.insert(Photo("\(number)", image: .large(UInt8(number))))
      try context.save()
    }
    try expectPhotos(store, [6, 7, 8, 9])
    try store.reopen()
    try expectPhotos(store, [6, 7, 8, 9])
  }

  @Test("a rolled-back save removes the files that it wrote, and no others", arguments: changes)
  func undone(_ change: String) throws {
    let store = try store()
    try store.tamper(change)
    let context = store.context()
    #expect(throws: CancellationError.self) {
      try context.transaction {
        for number in [6, 7, 8] { context.insert(Photo("\(number)", image: .large(UInt8(number)))) }
        try context.save()
        throw CancellationError()
      }
    }
    #expect(try store.externalFiles() == ["2", "3", "5"])
    try expectPhotos(store)
  }

  @Test("a new file does not get a number that is in the list of files to be removed")
  func listed() throws {
    let store = try store()
    try store.tamper("DELETE FROM _osd_sequence")
    try store.tamper("INSERT INTO _osd_superfluous_files VALUES ('6:200000')")
    let context = store.context()
    context.insert(Photo("6", image: .large(6)))
    try context.save()
    try store.reopen()
    try expectPhotos(store, [6])
  }

  @Test("opening the store removes files of a killed process even if the table has no number")
  func orphans() throws {
    let store = try TestStore(.file, [Photo.self])
    try FileManager.default.createDirectory(at: store.externalFolder, withIntermediateDirectories: true)
    for name in ["1", "2"] { try Data([1]).write(to: store.externalFolder.appending(path: name)) }
    try store.reopen()
    #expect(try store.externalFiles() == [])
  }
}
