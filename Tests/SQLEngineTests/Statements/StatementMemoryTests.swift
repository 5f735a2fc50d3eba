import PersistenceCore
import SQLEngine
import SQLiteStore
import Testing

@Suite("The cache of statements")
struct StatementMemoryTests {
  private let plan: SchemaPlan
  private let sqlite: StatementMemory
  private let other: StatementMemory

  init() throws {
    let plan = try SchemaPlan(Schema([Venue.self]))
    self.plan = plan
    sqlite = plan.derived(for: SQLiteDialect.self) { SQLiteDialect.statementMemory(of: plan.layouts) }
    other = plan.derived(for: TestDialect.self) {
      let dialect = TestDialect()
      return StatementMemory(DatabaseMapping(entities: plan.layouts, dialect: dialect), dialect: dialect)
    }
  }

  @Test("two engines with the same models have separate caches")
  func engines() {
    #expect(sqlite !== other)
    #expect(plan.derived(for: SQLiteDialect.self) { SQLiteDialect.statementMemory(of: []) } === sqlite)
    #expect(plan.derived(for: TestDialect.self) { SQLiteDialect.statementMemory(of: []) } === other)
  }

  @Test("requests with one shape have one statement for each dialect")
  func dialects() throws {
    #expect(try count(in: sqlite) == #"SELECT count(*) FROM "Venue""#)
    #expect(try count(in: other) == "SELECT count(*) FROM app.[Venue]")
    #expect(try count(in: sqlite) == #"SELECT count(*) FROM "Venue""#)
  }

  @Test("the statement of aggregates with one shape is generated once")
  func aggregates() throws {
    let count = TableCount()
    let database = DatabaseMapping(entities: plan.layouts, dialect: TestDialect())
    let memory = StatementMemory(database, dialect: TestDialect(tableCount: count))
    let table = try #require(database.tables.first)
    func sql(_ operand: AggregateOperand?) throws -> String {
      let request = AggregateRequest(
        entity: table.entity, selection: .all, group: nil, columns: [AggregateColumn(.count, operand)])
      return try memory.statement(for: AggregateQuery(request, table: table).shape, table: table).sql
    }
    #expect(try sql(nil) == "SELECT count(*) FROM app.[Venue]")
    let written = count.value
    #expect(try sql(nil) == "SELECT count(*) FROM app.[Venue]")
    #expect(count.value == written)
    #expect(try sql(.column(SortTerm(property: 0, isDescending: false))).contains("[city]"))
    #expect(count.value > written)
  }

  private func count(in memory: StatementMemory) throws -> String {
    let table = try #require(memory.database.tables.first)
    let shape = RequestShape(FetchRequest(entity: table.entity), purpose: .count, table: table)
    return try memory.statement(for: shape, table: table).sql
  }
}
