#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresSQL
  import PostgresStore
  import PostgresSupport
  import SQLEngine
  import Testing

  @Suite("The tables of a store in PostgreSQL")
  struct PostgresDefinitionTests {
    @Test("columns have the SQL types that their values need")
    func columns() throws {
      let store = try TestDatabase(Specimen.self)
      let table = try store.table(Specimen.self)
      #expect(
        SchemaDefinition(dialect: store.dialect).table(table).replacing(
          store.dialect.quoted(store.dialect.namespace), with: "ns")
            == """
            CREATE TABLE ns."Specimen" (
              "_osd_key" int8 PRIMARY KEY,
              "code" int8 NOT NULL,
              "name" text COLLATE "C" NOT NULL,
              "nickname" text COLLATE "C",
              "count" int8 NOT NULL,
              "rest" int8,
              "small" int8 NOT NULL,
              "size" numeric(20) NOT NULL,
              "weight" float8 NOT NULL,
              "ratio" float8,
              "share" float8 NOT NULL,
              "price" numeric NOT NULL,
              "discount" numeric,
              "isOpen" int8 NOT NULL,
              "isGood" int8,
              "date" float8 NOT NULL,
              "token" bytea NOT NULL,
              "bytes" bytea NOT NULL,
              "link" text COLLATE "C" NOT NULL,
              "maturity" int8 NOT NULL,
              "tags" json NOT NULL,
              "marks" json NOT NULL,
              "notes" json NOT NULL,
              "xmin_2" float8 NOT NULL,
              "_osd_originals" json
            )
            """)
    }

    @Test("foreign keys are checked at the end of a transaction")
    func references() throws {
      let store = try TestDatabase(Holder.self, Holding.self, Ship.self)
      let holding = try store.table(Holding.self)
      let names = holding.columns.map { store.dialect.quoted($0.name) }.joined(separator: ", ")
      let row = "INSERT INTO \(store.dialect.table(holding.name)) (\"_osd_key\", \"_osd_entity\", \(names)) VALUES "
      try store.connection.execute("BEGIN; \(row)(1, 'Holding', 'a', 7)")
      let error = #expect(throws: SwiftDataError.self) { try store.connection.execute("COMMIT") }
      #expect((error?.underlyingError as? PostgresError)?.sqlState == "23503")
      let owner = try store.insertion(of: Holder("h"), key: 7)
      try store.connection.execute("BEGIN; \(row)(1, 'Holding', 'a', 7)")
      _ = try store.connection.run([owner, PostgresStatement("COMMIT")])
      // PostgreSQL applies the relationship's delete rule to rows that no context has read.
      try store.connection.execute("DELETE FROM \(store.dialect.table("Holder"))")
      #expect(try store.row(1, of: Holding.self) == nil)
    }

    @Test("tables and columns have distinct names of at most 63 bytes, regardless of the lengths of property names")
    func names() throws {
      let long = String(repeating: "\u{E9}tat", count: 20)
      let dialect = PostgresDialect(namespace: "names")
      let cut = (0..<50).map { "\(long)\($0)".fitted(to: dialect.longestName) }
      #expect(Set(cut).count == 50)
      #expect(cut.allSatisfy { $0.utf8.count <= 63 })
      let (connection, _) = try TestCluster.shared.get().connectToNamespace()
      for name in cut + ["a\"b", "select", "Z\u{301}", "%s"] {
        let result = try connection.run(PostgresStatement("SELECT 1 AS \(dialect.quoted(name)), current_schema()"))
        #expect(result.rowCount == 1)
      }
      let columns = cut.map { "\(dialect.quoted($0)) int8" }.joined(separator: ", ")
      try connection.execute("CREATE TEMPORARY TABLE long_names (\(columns))")
    }

    @Test("queries use the tables' indexes")
    func indexes() throws {
      let store = try TestDatabase(Specimen.self)
      let connection = store.connection
      try connection.execute("SET enable_seqscan = off")
      let table = store.dialect.table("Specimen")
      let dialect = store.dialect
      let queries = [
        "\(dialect.quoted("name")) >= \(dialect.placeholder(1, .value(.text)))",
        "\(dialect.quoted("price")) < \(dialect.placeholder(1, .value(.decimal)))",
        "\(dialect.quoted("rest")) = \(dialect.placeholder(1, .value(.integer)))",
        "\(dialect.form(ofJSON: dialect.quoted("tags"))) = \(dialect.form(ofJSON: dialect.placeholder(1, .value(.json))))",
      ]
      for (index, query) in queries.enumerated() {
        var parameters = PostgresParameters()
        switch index {
        case 0: try parameters.append("a")
        case 1: try parameters.append(numeric: "1")
        case 2: parameters.append(1 as Int64)
        default: try parameters.append("[]", .json)
        }
        let plan = try connection.run(PostgresStatement("EXPLAIN SELECT 1 FROM \(table) WHERE \(query)", parameters))
        let words = (0..<plan.rowCount).compactMap { plan.text($0, 0) }.joined(separator: "\n")
        #expect(words.contains("Index"), "\(words)")
      }
      let order = dialect.orderTerm(dialect.quoted("rest"), isDescending: true)
      // For so few rows PostgreSQL would prefer sorting to reading an index.
      try connection.execute("SET enable_sort = off")
      let plan = try connection.run(
        PostgresStatement("EXPLAIN SELECT 1 FROM \(table) ORDER BY \(order), \"size\" DESC NULLS LAST"))
      #expect(plan.text(0, 0)?.contains("Index") == true, "\(plan.text(0, 0) ?? "")")
    }
  }
#endif
