#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SQLEngine
  import Testing

  @Suite("Opening a store in PostgreSQL")
  struct PostgresOpeningTests {
    private let namespace = "Opening \(UUID().uuidString)"

    private func opening(_ models: [any PersistentModel.Type], allowsSave: Bool = true) throws -> PostgresOpening {
      PostgresOpening(
        PostgresSettings(try TestCluster.shared.get().url), namespace: namespace, allowsSave: allowsSave,
        plan: try SchemaPlan(Schema(models)))
    }

    @Test("creates the store once, and later opens it with the same identifier")
    func creation() throws {
      let first = try opening([Specimen.self]).open()
      let second = try opening([Specimen.self], allowsSave: false).open()
      #expect(first.identifier == second.identifier)
      let entity = try #require(second.session.database.table(named: "Specimen")).entity
      #expect(try second.session.count(FetchRequest(entity: entity)) == 0)
    }

    @Test("accepts any name of a namespace, including one with a quote that carries a combining mark")
    func quotedNamespace() throws {
      let opening = PostgresOpening(
        PostgresSettings(try TestCluster.shared.get().url), namespace: "o\"\u{301} \(UUID().uuidString)",
        allowsSave: true,
        plan: try SchemaPlan(Schema([Specimen.self])))
      #expect(try opening.open().identifier == opening.open().identifier)
    }

    @Test("creates one store if several containers open it at once", .timeLimit(.minutes(10)))
    func concurrent() async throws {
      let identifiers = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<6 { group.addTask { try opening([Holder.self, Holding.self, Ship.self]).open().identifier } }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(identifiers.count == 1)
    }

    @Test(
      "throws for other models, for a namespace with other tables, and for a missing store if it is read-only")
    func refusals() throws {
      let missing = #expect(throws: SwiftDataError.self) { try opening([Specimen.self], allowsSave: false).open() }
      #expect(missing == .storeUnreachable)
      let connection = try TestCluster.shared.get().connect()
      try connection.execute("CREATE SCHEMA \"\(namespace)\"; CREATE TABLE \"\(namespace)\".other (key int8)")
      let foreign = #expect(throws: SwiftDataError.self) { try opening([Specimen.self]).open() }
      #expect(foreign == .storeOfAnotherProgram)
      try connection.execute("DROP TABLE \"\(namespace)\".other")
      _ = try opening([Specimen.self]).open()
      let changed = #expect(throws: SwiftDataError.self) {
        try opening([Holder.self, Holding.self, Ship.self]).open()
      }
      #expect(changed == .unknownSchema)
      try connection.execute("UPDATE \"\(namespace)\"._osd_metadata SET value = '99' WHERE key = 'format'")
      let newer = #expect(throws: SwiftDataError.self) { try opening([Specimen.self]).open() }
      #expect(newer == .backwardMigration)
    }

    @Test("gives out each key once, and subclasses share the keys of their root class", .timeLimit(.minutes(10)))
    func keys() async throws {
      let opened = try opening([Holder.self, Holding.self, Ship.self]).open()
      let entity = try #require(opened.session.database.table(named: "Ship")).entity
      let root = try #require(opened.session.database.table(named: "Holding")).entity
      #expect(try opened.session.takeKeys(3, for: root) == 1...3)
      #expect(try opened.session.takeKeys(64, for: entity) == 4...67)
      let ranges = try await withThrowingTaskGroup(of: [ClosedRange<Int64>].self) { group in
        for _ in 0..<4 {
          group.addTask {
            let session = try opening([Holder.self, Holding.self, Ship.self]).open().session
            let entity = try #require(session.database.table(named: "Ship")).entity
            return try (1...20).map { try session.takeKeys($0, for: entity) }
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      let all = ranges.flatMap { Array($0) }
      #expect(Set(all).count == all.count)
      #expect(all.min() == 68)
    }
  }
#endif
