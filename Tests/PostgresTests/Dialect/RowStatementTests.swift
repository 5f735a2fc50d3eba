#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresStore
  import SQLEngine
  import Testing

  @Suite("Statements for rows in PostgreSQL")
  struct PostgresRowTests {
    @Test("a row with values of every type can be inserted, updated, looked up and deleted")
    func life() throws {
      let store = try TestDatabase(Specimen.self)
      let table = try store.table(Specimen.self)
      let specimen = Specimen(1)
      specimen.name = "e\u{301}\u{0}"
      specimen.size = .max
      specimen.weight = .nan
      specimen.price = Decimal(string: "-1234567890.0987654321") ?? 0
      specimen.discount = .nan
      specimen.date = Date(timeIntervalSinceReferenceDate: 750_000_000.123_456_7)
      specimen.bytes = Data([0, 1, 255])
      specimen.tags = ["a\u{0}", "\u{E9}"]
      specimen.isGood = true
      try store.connection.run(try store.insertion(of: specimen, key: 5))
      let values = try store.values(of: specimen)
      #expect(try store.row(5, of: Specimen.self) == values)

      specimen.name = "other"
      specimen.ratio = -.infinity
      let changed = try store.values(of: specimen)
      let update = store.rows.update(table, mask: PropertyMask.all)
      let parameters = try store.parameters(key: 5, changed, of: table, keyComesFirst: false)
      #expect(try store.connection.run(PostgresStatement(update, parameters)).affectedRows == 1)
      #expect(try store.row(5, of: Specimen.self) == changed)

      var key = PostgresParameters()
      key.append(5 as Int64)
      let vacated = try #require(store.rows.vacate(table, mask: PropertyMask.all))
      #expect(try store.connection.run(PostgresStatement(vacated, key)).affectedRows == 1)
      #expect(try store.connection.run(PostgresStatement(store.rows.delete(from: table), key)).affectedRows == 1)
      #expect(try store.row(5, of: Specimen.self) == nil)
      #expect(try store.connection.run(PostgresStatement(store.rows.delete(from: table), key)).affectedRows == 0)
    }

    @Test("an update that changes no column reports whether the row exists")
    func emptyMask() throws {
      let store = try TestDatabase(Specimen.self)
      try store.connection.run(try store.insertion(of: Specimen(1), key: 5))
      let sql = store.rows.update(try store.table(Specimen.self), mask: 0)
      for (key, count) in [(5, 1), (6, 0)] as [(Int64, Int)] {
        var parameters = PostgresParameters()
        parameters.append(key)
        #expect(try store.connection.run(PostgresStatement(sql, parameters)).affectedRows == count)
      }
    }

    @Test("a check for references uses an index, and searches a long list of keys by a hash")
    func refusal() throws {
      let store = try TestDatabase(Branch.self)
      let name = store.dialect.table(try store.table(Branch.self).name)
      try store.connection.execute(
        "INSERT INTO \(name) (\"_osd_key\", \"name\", \"parent\") SELECT g, 'b', CASE WHEN g % 100 <> 1 THEN g - 1 - (g - 2) % 100 END "
          + "FROM generate_series(1, 2000) AS g; ANALYZE \(name)")
      let sql = store.statements.refuseReferences(by: "parent", in: "Branch", toItself: true)
      func parameters(_ keys: ClosedRange<Int64>) -> PostgresParameters {
        var parameters = PostgresParameters()
        parameters.append(keys: Array(keys))
        return parameters
      }
      let plan = try store.connection.run(PostgresStatement("EXPLAIN " + sql, parameters(1...1_000)))
      let lines = (0..<plan.rowCount).compactMap { plan.text($0, 0) }
      #expect(lines.contains { $0.contains("Index") && $0.contains("Scan") }, "\(lines)")
      #expect(lines.contains { $0.contains("hashed SubPlan") }, "\(lines)")
      // Rows 1 to 1,000 are ten whole trees: no other row refers to them. Rows 1 to 1,050 include half of the eleventh
      // tree, so another row refers to one of them.
      #expect(try store.connection.run(PostgresStatement(sql, parameters(1...1_000))).integer(0, 0) == 1)
      let error = #expect(throws: SwiftDataError.self) {
        try store.connection.run(PostgresStatement(sql, parameters(1...1_050)))
      }
      #expect((error?.underlyingError as? PostgresError)?.sqlState == "22012")
    }

    @Test("one statement with a list of keys looks up several rows")
    func lookUpSeveral() throws {
      let store = try TestDatabase(Specimen.self)
      _ = try store.connection.run(try (1...5).map { try store.insertion(of: Specimen(Int($0)), key: $0) })
      var parameters = PostgresParameters()
      try parameters.append(list: [2, 4, 9].map { .integer($0) }, of: .reference)
      let sql = store.rows.lookUpSeveral(try store.table(Specimen.self), mask: 0)
      #expect(try store.connection.run(PostgresStatement(sql, parameters)).rowCount == 2)
    }

    // MARK: Upserts

    private func upsert<Model: PersistentModel>(_ model: Model, key: Int64, in store: TestDatabase) throws -> Int64? {
      let table = try store.table(Model.self)
      let parameters = try store.parameters(key: key, try store.values(of: model), of: table)
      let result = try store.connection.run(PostgresStatement(store.rows.upsert(into: table), parameters))
      return result.rowCount == 1 ? result.integer(0, 0) : nil
    }

    @Test("an upsert changes the row that has the unique value, and returns its key")
    func upsert() throws {
      let store = try TestDatabase(Specimen.self)
      #expect(try upsert(Specimen(1), key: 5, in: store) == 5)
      let other = Specimen(1)
      other.name = "new"
      #expect(try upsert(other, key: 6, in: store) == 5)
      #expect(try store.row(5, of: Specimen.self) == store.values(of: other))
      #expect(try upsert(Specimen(2), key: 7, in: store) == 7)
      #expect(try store.keys(nil, of: Specimen.self) == [5, 7])
    }

    @Test("an upsert finds a row by any of several unique attributes, and fails if they match two different rows")
    func severalRules() throws {
      let store = try TestDatabase(Holder.self, Holding.self, Ship.self)
      #expect(try upsert(Holder("a", number: 1), key: 1, in: store) == 1)
      #expect(try upsert(Holder("b", number: 2), key: 2, in: store) == 2)
      #expect(try upsert(Holder("a", number: 3), key: 3, in: store) == 1)
      #expect(try upsert(Holder("c", number: 2), key: 4, in: store) == 2)
      #expect(try upsert(Holder("d"), key: 5, in: store) == 5)
      #expect(try upsert(Holder("e"), key: 6, in: store) == 6)
      let error = #expect(throws: SwiftDataError.self) { try upsert(Holder("a", number: 2), key: 7, in: store) }
      #expect((error?.underlyingError as? PostgresError)?.isUniqueness == true)
    }

    @Test("a unique attribute of a subclass applies only to the rows of that class")
    func ruleOfEntity() throws {
      let store = try TestDatabase(Holder.self, Holding.self, Ship.self)
      #expect(try upsert(Ship("s", mark: "x"), key: 1, in: store) == 1)
      #expect(try upsert(Ship("t", mark: "x"), key: 2, in: store) == 1)
      #expect(try upsert(Holding("t"), key: 3, in: store) == 3)
      #expect(try store.keys(nil, of: Holding.self) == [1, 3])
      #expect(try store.keys(nil, of: Ship.self) == [1])
    }

    // MARK: Relationships

    @Test("join rows are inserted once each, and are read in order")
    func pairs() throws {
      let store = try TestDatabase(Holder.self, Holding.self, Ship.self)
      let table = try store.table(Holder.self)
      _ = try store.connection.run(try (1...3).map { try store.insertion(of: Holder("h\($0)"), key: $0) })
      let position = try #require(table.entity.property(named: "friends")).position
      let link = try #require(table.links[position])
      let pairs = PairStatements(dialect: store.dialect)
      func run(_ sql: String, _ numbers: Int64...) throws -> PostgresResult {
        var parameters = PostgresParameters()
        for number in numbers { parameters.append(number) }
        return try store.connection.run(PostgresStatement(sql, parameters))
      }
      #expect(try run(pairs.insert(into: link), 1, 3, 10).affectedRows == 1)
      #expect(try run(pairs.insert(into: link), 1, 2, 11).affectedRows == 1)
      #expect(try run(pairs.insert(into: link), 1, 2, 12).affectedRows == 0)
      let members = MemberStatements(dialect: store.dialect)
      let read = try run(members.paired(table, by: link, .one), 1)
      #expect((0..<read.rowCount).map { read.integer($0, 0) } == [3, 2])
      var rank = PostgresParameters()
      rank.append(10.5)
      rank.append(11 as Int64)
      try store.connection.run(PostgresStatement(pairs.setRank(in: link), rank))
      #expect(try run(pairs.ranks(in: link), 1).rowCount == 2)
      #expect(try run(pairs.delete(from: link), 1, 3).affectedRows == 1)
      // The database assigns a number to a join row that is inserted without one.
      try store.connection.execute("INSERT INTO \(store.dialect.table(link.name)) (owner, target) VALUES (2, 3)")
      #expect(try run(pairs.deleteAll(from: link, of: link.owner), 2).affectedRows == 1)
    }

    @Test("one statement reads the related rows of many owners")
    func members() throws {
      let store = try TestDatabase(Holder.self, Holding.self, Ship.self)
      let table = try store.table(Holding.self)
      let position = try #require(table.entity.property(named: "holder")).position
      _ = try store.connection.run(try (1...3).map { try store.insertion(of: Holder("h\($0)"), key: $0) })
      for key in 1...6 as ClosedRange<Int64> {
        let values: [StoredValue] = table.columns.map { $0.reference == nil ? .text("t") : .integer(1 + key % 3) }
        try store.connection.run(
          PostgresStatement(store.rows.insert(into: table), try store.parameters(key: key, values, of: table)))
      }
      var parameters = PostgresParameters()
      try parameters.append(list: [.integer(1), .integer(2)], of: .reference)
      let members = MemberStatements(dialect: store.dialect)
      let sql = members.referring(table, at: position, .some, mask: PropertyMask.all, repeatsOwner: true)
      #expect(try store.connection.run(PostgresStatement(sql, parameters)).rowCount == 4)
      let redirect = store.rows.redirect(table, at: position)
      var keys = PostgresParameters()
      keys.append(1 as Int64)
      keys.append(3 as Int64)
      #expect(try store.connection.run(PostgresStatement(redirect, keys)).affectedRows == 2)
    }
  }
#endif
