import ConformanceSupport
import SwiftData
import Testing

@Model
private class Picture {
  var title: String
  @Attribute(.unique, .externalStorage) var image: Data?

  init(_ title: String, _ image: Data?) { (self.title, self.image) = (title, image) }
}

@Model
private final class Photograph: Picture {
  var camera: String = ""

  override init(_ title: String, _ image: Data?) { super.init(title, image) }
}

/// Has files in any case, so that the store has what these need.
@Model
private final class Scan {
  @Attribute(.externalStorage) var image: Data?

  init(_ image: Data?) { self.image = image }
}

private let models: [any PersistentModel.Type] = [Picture.self, Photograph.self, Scan.self]

private func bytes(_ value: UInt8) -> Data { Data(repeating: value, count: 120_000) }

/// A property with files that a rule of the superclass names.
@Suite("Files and rules of a superclass")
struct InheritedRuleTests {
  /// A store as format 2 had it, with the value of a photograph in file 2.
  private func oldStore(_ value: UInt8) throws -> MigratedStore {
    let store = try MigratedStore()
    try store.use(models) { context in
      context.insert(Scan(bytes(9)))
      context.insert(Picture("picture", bytes(1)))
      context.insert(Photograph("photograph", Data([2])))
    }
    #expect(store.externalFiles == ["1"])
    try bytes(value).write(to: URL(fileURLWithPath: store.url.path + "_external/2"))
    let database = try RawDatabase(store.url.path)
    try database.run("UPDATE Picture SET image = '2:120000' WHERE title = 'photograph'")
    try database.run("UPDATE _osd_sequence SET next = 3 WHERE entity = 'external files'")
    try database.run("UPDATE _osd_metadata SET value = '2' WHERE key = 'format'")
    try database.run("PRAGMA user_version = 2")
    return store
  }

  @Test("values that a superclass makes unique are in the rows of subclasses, and unique")
  func unique() throws {
    let store = try MigratedStore()
    try store.use(models) { context in
      context.insert(Picture("first", bytes(1)))
      try context.save()
      context.insert(Photograph("second", bytes(2)))
      try context.save()
      context.insert(Photograph("third", bytes(2)))
      try context.save()
    }
    #expect(store.externalFiles == [])
    try store.use(models) { context in
      let titles = try context.fetch(FetchDescriptor<Picture>(sortBy: [SortDescriptor(\.title)])).map(\.title)
      #expect(titles == ["first", "third"])
    }
  }

  @Test("values that format 2 had in files are put into their rows, and the files go")
  func upgrading() throws {
    let store = try oldStore(3)
    try store.use(models) { context in
      let found = try context.fetch(FetchDescriptor<Photograph>())
      #expect(found.map(\.image) == [bytes(3)])
      #expect(try context.fetch(FetchDescriptor<Scan>()).map(\.image) == [bytes(9)])
    }
    #expect(store.externalFiles == ["1"])
    let database = try RawDatabase(store.url.path)
    #expect(try database.column("PRAGMA user_version") == ["3"])
    #expect(try database.column("SELECT DISTINCT typeof(image) FROM Picture") == ["blob"])
    #expect(try database.problems() == [])
  }

  @Test("a store of format 2 that has such values is not read without saving, which would take references for bytes")
  func readingOnly() throws {
    let store = try oldStore(3)
    let error = try store.refusal(of: models) { $0 = ModelConfiguration(url: $0.url, allowsSave: false) }
    #expect(error == .storeReadOnly && "\(error)".contains("Photograph.image"))
    #expect(store.externalFiles == ["1", "2"])
  }

  @Test("values that turn out not to be unique are named, and so is a lost file; the store stays as it was")
  func refusals() throws {
    let alike = try oldStore(1)
    let error = try alike.refusal(of: models)
    #expect(error == .modelValidationFailure && "\(error)".contains("format 2"))
    #expect(alike.externalFiles == ["1", "2"])
    let lost = try oldStore(3)
    try FileManager.default.removeItem(atPath: lost.url.path + "_external/2")
    #expect(try lost.refusal(of: models) == .corruptValue)
  }
}
