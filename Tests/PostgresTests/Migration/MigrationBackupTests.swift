#if PostgreSQL
  import Foundation
  import OpenSwiftData
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import Testing

  private enum First: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Shelf.self, Volume.self, Reader.self] }

    @Model final class Shelf {
      @Attribute(.unique) var name: String
      @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Volume {
      #Index<Volume>([\.title])
      @Attribute(.preserveValueOnDeletion) var title: String
      var price: Decimal?
      var shelf: Shelf?
      @Relationship(inverse: \Reader.volumes) var readers: [Reader] = []
      init(_ title: String) { self.title = title }
    }
    @Model final class Reader {
      var name: String
      var volumes: [Volume] = []
      init(_ name: String) { self.name = name }
    }
  }

  private enum Second: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Shelf.self, Volume.self] }

    @Model final class Shelf {
      @Attribute(.unique) var name: String
      var note: String = "new"
      @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume] = []
      init(_ name: String) { self.name = name }
    }
    @Model final class Volume {
      @Attribute(originalName: "title") var heading: String
      var shelf: Shelf?
      init(_ heading: String) { self.heading = heading }
    }
  }

  private enum Third: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Shelf.self] }

    @Model final class Shelf {
      @Attribute(.unique) var name: String
      var note: String = "new"
      init(_ name: String) { self.name = name }
    }
  }

  private struct Refusal: Error {}

  private enum Failing: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: First.self, toVersion: Second.self, willMigrate: nil,
          didMigrate: { _ in throw Refusal() })
      ]
    }
  }

  private enum FailingLater: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Second.self, Third.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: Second.self, toVersion: Third.self, willMigrate: nil,
          didMigrate: { _ in throw Refusal() })
      ]
    }
  }

  /// A migration stage with code that changes rows before the tables are changed.
  private enum Preparing: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: First.self, toVersion: Second.self,
          willMigrate: { context in
            try context.delete(model: First.Reader.self)
            try context.save()
          }, didMigrate: nil)
      ]
    }
  }

  @Suite("Backups of a store on a server, made before a migration", .timeLimit(.minutes(3)))
  struct PostgresMigrationBackupTests {
    /// Creates a store of the first version, with rows, relationships, original texts and a history.
    private func store() throws -> ServerStore {
      let store = try ServerStore()
      store.configuration.keepsMigrationBackup = true
      let context = ModelContext(try store.open(First.self))
      let shelf = First.Shelf("top")
      context.insert(shelf)
      let volumes = ["b", "cafe\u{301} ", "a"].map { First.Volume($0) }
      shelf.volumes = volumes
      volumes[1].price = Decimal(string: "0.10")
      let readers = ["Ann", "Bob"].map { First.Reader($0) }
      volumes[0].readers = [readers[1], readers[0]]
      volumes[2].readers = [readers[0]]
      try context.save()
      let gone = First.Volume("gone")
      context.insert(gone)
      try context.save()
      context.delete(gone)
      try context.save()
      return store
    }

    private func backup(of store: ServerStore) throws -> ServerStore {
      let copy = try ServerStore(store.cluster)
      copy.configuration.namespace = store.configuration.namespace + "_backup"
      return copy
    }

    /// The tables of a store and their rows, except for metadata and notifications. The result does not depend on the
    /// order of columns.
    private func content(of store: ServerStore) throws -> [[String?]] {
      let catalog = try store.catalog()
      let tables = try catalog.tables
      let rows = try tables.filter { !["_osd_metadata", "_osd_news"].contains($0) }.flatMap { table in
        try catalog.rows("SELECT '\(table)', to_jsonb(t)::text FROM \"\(table)\" AS t ORDER BY 2")
      }
      return try catalog.layout().map { [$0] } + tables.map { [$0] } + rows
    }

    private func hasBackup(_ store: ServerStore) throws -> Bool {
      let name = store.configuration.namespace + "_backup"
      return try !store.catalog().rows("SELECT 1 FROM pg_namespace WHERE nspname = '\(name)'").isEmpty
    }

    @Test(
      "a backup has the tables, indexes, foreign keys, rows, original texts and history of the store",
      arguments: [false, true])
    func whole(_ hasCode: Bool) throws {
      let store = try store()
      let before = try content(of: store)
      _ = try store.open(Second.self, plan: hasCode ? Preparing.self : nil)
      let copy = try backup(of: store)
      #expect(try content(of: copy) == before)
      #expect(try copy.catalog().problems() == [])
      try store.checkLayout(like: Second.models)
    }

    @Test("a backup opens with the old models and accepts saves")
    func opens() throws {
      let store = try store()
      _ = try store.open(Second.self)
      let container = try backup(of: store).open(First.self)
      let context = ModelContext(container)
      let shelf = try #require(try context.fetch(FetchDescriptor<First.Shelf>()).first)
      #expect(shelf.volumes.map(\.title) == ["b", "cafe\u{301} ", "a"])
      #expect(scalars(shelf.volumes[1].title) == scalars("cafe\u{301} "))
      #expect(shelf.volumes[1].price == Decimal(string: "0.1"))
      #expect(shelf.volumes[0].readers.map(\.name).sorted() == ["Ann", "Bob"])
      let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(history.count == 3)
      // New keys, join rows and history records in the backup continue after the existing ones.
      let (volume, reader) = (First.Volume("new"), First.Reader("Cid"))
      shelf.volumes.append(volume)
      volume.readers = [reader]
      try context.save()
      #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 4)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<First.Volume>()) == 4)
      // Saves in the backup do not change the migrated store.
      let migrated = ModelContext(try store.open(Second.self))
      #expect(try migrated.fetchCount(FetchDescriptor<Second.Volume>()) == 3)
    }

    @Test("exchanging the names of the two namespaces restores the backup, which is then migrated again")
    func restored() throws {
      let store = try store()
      _ = try store.open(Second.self)
      let name = store.configuration.namespace
      try store.cluster.connect().execute(
        "BEGIN; ALTER SCHEMA \"\(name)\" RENAME TO \"\(name)_failed\"; "
          + "ALTER SCHEMA \"\(name)_backup\" RENAME TO \"\(name)\"; COMMIT")
      try store.use(First.models) { context in
        let shelf = try #require(try context.fetch(FetchDescriptor<First.Shelf>()).first)
        shelf.volumes.append(First.Volume("after"))
      }
      let before = try content(of: store)
      let context = ModelContext(try store.open(Second.self))
      let shelf = try #require(try context.fetch(FetchDescriptor<Second.Shelf>()).first)
      #expect(shelf.volumes.map(\.heading) == ["b", "cafe\u{301} ", "a", "after"])
      #expect(try content(of: backup(of: store)) == before)
      try store.checkLayout(like: Second.models)
    }

    @Test("the next migration that keeps a backup replaces the backup; other migrations do not")
    func replaced() throws {
      let store = try store()
      for _ in 0..<2 { _ = try store.open(Second.models) }
      let first = try content(of: backup(of: store))
      store.configuration.keepsMigrationBackup = false
      _ = try store.open(Third.models)
      #expect(try content(of: backup(of: store)) == first)
      store.configuration.keepsMigrationBackup = true
      let before = try content(of: store)
      #expect(before != first)
      _ = try store.open(Second.models)
      #expect(try content(of: backup(of: store)) == before)
    }

    @Test("a migration that fails neither makes nor replaces a backup")
    func failed() throws {
      let store = try store()
      _ = try store.refusal(of: Second.models, version: Second.versionIdentifier, plan: Failing.self)
      #expect(try !hasBackup(store))
      _ = try store.open(Second.self)
      let copy = try content(of: backup(of: store))
      _ = try store.refusal(of: Third.models, version: Third.versionIdentifier, plan: FailingLater.self)
      #expect(try content(of: backup(of: store)) == copy)
    }

    @Test("without a migration, or without the option in the configuration, no backup is made")
    func unasked() throws {
      let store = try store()
      _ = try store.open(First.self)
      #expect(try !hasBackup(store))
      store.configuration.keepsMigrationBackup = false
      _ = try store.open(Second.self)
      #expect(try !hasBackup(store))
    }

    @Test("a backup does not overwrite a namespace with other contents", arguments: ["TABLE", "STORE"])
    func occupied(_ kind: String) throws {
      let store = try store()
      let other = try backup(of: store)
      if kind == "STORE" {
        // The namespace contains another store, which is not a backup.
        _ = try other.open(First.self)
      } else {
        let name = other.configuration.namespace
        try store.cluster.connect().execute("CREATE SCHEMA \"\(name)\"; CREATE TABLE \"\(name)\".mine (number int)")
      }
      let before = try other.catalog().tables
      let error = try store.refusal(of: Second.models, version: Second.versionIdentifier)
      #expect(error == .storeOfAnotherProgram)
      #expect(error.explanation?.contains("_backup") == true)
      #expect(try other.catalog().tables == before)
    }

    @Test("the backup's name must not exceed PostgreSQL's length limit")
    func longName() throws {
      let store = try ServerStore()
      store.configuration.namespace = String(repeating: "n", count: 56)
      store.configuration.keepsMigrationBackup = true
      #expect(throws: Never.self) { try store.configuration.validate() }
      store.configuration.namespace += "n"
      let error = #expect(throws: SwiftDataError.self) { try store.configuration.validate() }
      #expect(error == .storeFailure)
      store.configuration.keepsMigrationBackup = false
      #expect(throws: Never.self) { try store.configuration.validate() }
    }
  }
#endif
