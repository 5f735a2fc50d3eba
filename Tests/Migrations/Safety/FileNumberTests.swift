import ConformanceSupport
import PersistenceCore
import SwiftData
import Testing

private enum First: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Photo.self] }

  @Model final class Photo {
    var title: String
    @Attribute(.externalStorage) var image: Data?
    init(_ number: Int) { (title, image) = ("\(number)", bytes(number)) }
  }
}

private enum Second: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Photo.self] }

  @Model final class Photo {
    var title: String
    @Attribute(.externalStorage) var image: Data?
    var stars: Int = 0
    init() { title = "" }
  }
}

/// A plan whose stage saves a photo with a value in an external file, and then throws.
private enum Failing: SchemaMigrationPlan {
  /// How often the stage has saved the photo before it threw.
  static let runs = Lock(0)

  static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
  static var stages: [MigrationStage] {
    [
      .custom(fromVersion: First.self, toVersion: Second.self, willMigrate: nil) { context in
        let photo = Second.Photo()
        photo.image = bytes(9)
        context.insert(photo)
        try context.save()
        runs.withLock { $0 += 1 }
        throw CancellationError()
      }
    ]
  }
}

private func bytes(_ number: Int) -> Data { Data(repeating: UInt8(number), count: 120_000) }

/// External files have numbers as names, and the table of sequences contains the next number. If another program
/// restores the store from a dump, this table may be missing or outdated.
@Suite("Migrations of stores whose next file number is missing or too low", .onSQLite)
struct FileNumberTests {
  private static let changes = [
    "DELETE FROM _osd_sequence", "UPDATE _osd_sequence SET next = 1 WHERE entity = 'external files'",
    "UPDATE _osd_sequence SET next = 2 WHERE entity = 'external files'",
  ]

  /// Creates a store of photos whose external files have the numbers 2 and 3.
  private func store(_ change: String) throws -> MigratedStore {
    let store = try MigratedStore()
    try store.use(First.models) { context in
      for number in 1...3 {
        context.insert(First.Photo(number))
        try context.save()
      }
      try context.delete(model: First.Photo.self, where: #Predicate { $0.title == "1" })
    }
    #expect(store.externalFiles == ["2", "3"])
    try RawDatabase(store.url.path).run(change)
    return store
  }

  @Test("a migration keeps the external files of all rows, and gives new files higher numbers", arguments: changes)
  func keeping(_ change: String) throws {
    let store = try store(change)
    try store.use(Second.models) { context in
      let photos = try context.fetch(FetchDescriptor<Second.Photo>(sortBy: [SortDescriptor(\.title)]))
      #expect(photos.map(\.image) == [bytes(2), bytes(3)])
      let added = Second.Photo()
      (added.title, added.image) = ("4", bytes(4))
      context.insert(added)
    }
    try store.use(Second.models) { context in
      let photos = try context.fetch(FetchDescriptor<Second.Photo>(sortBy: [SortDescriptor(\.title)]))
      #expect(photos.map(\.image) == [bytes(2), bytes(3), bytes(4)])
    }
  }

  @Test("a migration that fails deletes only the files that it wrote", arguments: changes)
  func failing(_ change: String) throws {
    let store = try store(change)
    let runs = Failing.runs.withLock { $0 }
    #expect(throws: (any Error).self) {
      _ = try store.open(Second.models, version: Second.versionIdentifier, plan: Failing.self)
    }
    #expect(Failing.runs.withLock { $0 } > runs)
    #expect(store.externalFiles == ["2", "3"])
    try store.use(First.models) { context in
      let photos = try context.fetch(FetchDescriptor<First.Photo>(sortBy: [SortDescriptor(\.title)]))
      #expect(photos.map(\.image) == [bytes(2), bytes(3)])
    }
  }
}
