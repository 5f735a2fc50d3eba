#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresSupport
  import SQLEngine
  import SwiftData
  import Testing

  @testable import PostgresStore

  @Suite("Range predicates in PostgreSQL", .timeLimit(.minutes(10)))
  struct RangePlanTests {
    private let container: ModelContainer
    private let context: ModelContext
    private let engine: PostgresStoreEngine

    /// Creates a store of 20,000 rows, and lets the server collect statistics of their values.
    init() throws {
      var configuration = PostgresConfiguration(try TestCluster.shared.get().url)
      configuration.namespace = "Ranges \(UUID().uuidString)"
      configuration.maximumConnections = 2
      configuration.propagation = .off
      container = try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
      context = ModelContext(container)
      engine = try #require(context.stores.stores.first?.engine as? PostgresStoreEngine)
      let table = "\"\(configuration.namespace)\".\"Holder\""
      let direct = try TestCluster.shared.get().connect()
      try direct.execute(
        "INSERT INTO \(table) (\"\(DatabaseMapping.keyColumn)\", \"name\", \"number\") "
          + "SELECT n, 'h' || lpad(n::text, 6, '0'), n FROM generate_series(1, 20000) AS n")
      try direct.execute("ANALYZE \(table)")
    }

    /// For the prepared statements with a range: how many executions used a generic plan, how many used a custom plan,
    /// and the texts of the statements.
    private func plans() throws -> (once: Int64, forEach: Int64, sql: String) {
      let result = try engine.withOwnSession {
        try $0.connection.run(
          PostgresStatement(
            "SELECT sum(generic_plans)::int8, sum(custom_plans)::int8, string_agg(statement, ';') "
              + "FROM pg_prepared_statements WHERE statement LIKE '%\"name\" >=%'"))
      }
      return (result.integer(0, 0) ?? 0, result.integer(0, 1) ?? 0, result.text(0, 2) ?? "")
    }

    @Test("a range that matches few rows or none is planned once, not once for each pair of bounds")
    func narrow() throws {
      for number in 1..<30 {
        let (low, high) = ("i\(number)", "j\(number)")
        let descriptor = FetchDescriptor<Holder>(
          predicate: #Predicate { $0.name >= low && $0.name < high })
        #expect(try context.fetch(descriptor).isEmpty)
        let (first, end) = ("h00\(1_000 + number)", "h00\(1_003 + number)")
        let few = FetchDescriptor<Holder>(
          predicate: #Predicate { $0.name < end && $0.name >= first }, sortBy: [SortDescriptor(\.number)])
        #expect(try context.fetch(few).map(\.name) == (0..<3).map { "h00\(1_000 + number + $0)" })
      }
      let plans = try plans()
      #expect(plans.once >= 40, "\(plans)")
      #expect(plans.forEach <= 10, "\(plans)")
    }

    @Test("a range with a limit in another order, or with a further condition, is planned for its bounds")
    func limited() throws {
      for number in 1..<10 {
        let (first, end) = ("h00\(1_000 + number)", "h00\(1_003 + number)")
        var descriptor = FetchDescriptor<Holder>(
          predicate: #Predicate { $0.name >= first && $0.name < end }, sortBy: [SortDescriptor(\.number)])
        descriptor.fetchLimit = 2
        #expect(try context.fetch(descriptor).count == 2)
        let further = FetchDescriptor<Holder>(
          predicate: #Predicate { $0.name >= first && $0.name < end && $0.note == nil })
        #expect(try context.fetch(further).count == 3)
      }
      let plans = try plans()
      #expect(plans.sql.contains("$2"))
      #expect(!plans.sql.contains("(SELECT $"), "\(plans.sql)")
    }
  }
#endif
