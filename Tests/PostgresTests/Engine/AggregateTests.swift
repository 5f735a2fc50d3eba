#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PersistenceExtensions
  import PostgresStore
  import SQLEngine
  import Testing

  @Suite("Aggregates and query plans of a session with PostgreSQL")
  struct PostgresAggregateTests {
    private func column(_ name: String, of table: TableMapping) throws -> AggregateOperand {
      let property = try #require(table.entity.properties.first { $0.name == name })
      return .column(SortTerm(property: property.position, isDescending: false))
    }

    private func results(
      _ columns: [(AggregateFunction, String?)], by group: String? = nil, in store: TestDatabase
    ) throws -> [[StoredValue]] {
      let table = try store.table(Specimen.self)
      let request = AggregateRequest(
        entity: table.entity, selection: .all, group: try group.map { try column($0, of: table) },
        columns: try columns.map { AggregateColumn($0, try $1.map { try column($0, of: table) }) })
      var result: [[StoredValue]] = []
      let width = columns.count + (group == nil ? 0 : 1)
      try store.session.aggregate(request) { result = try values(of: $0).map { $0.first(width) } }
      return result
    }

    @Test("aggregates have the type of their column, including numbers beyond signed 64-bit integers")
    func formats() throws {
      let store = try TestDatabase(Specimen.self)
      let specimens = (1...3).map { Specimen($0) }
      for specimen in specimens {
        specimen.size = specimen.code == 3 ? .max : UInt64(specimen.code)
        specimen.price = Decimal(specimen.code) / 4
        specimen.weight = Double(specimen.code) / 2
        specimen.count = .max
        specimen.name = "n\(specimen.code)"
      }
      try store.insert(specimens)
      let whole = try results(
        [
          (.count, nil), (.count, "nickname"), (.minimum, "size"), (.maximum, "size"), (.sum, "size"),
          (.sum, "count"), (.sum, "code"), (.sum, "price"), (.maximum, "price"), (.sum, "weight"), (.minimum, "name"),
          (.countDistinct, "count"), (.minimum, "rest"), (.sum, "rest"),
        ], in: store)
      let greatest = withUnsafeBytes(of: UInt64.max.bigEndian) { Data($0) }
      let wanted: [StoredValue] = [
        .integer(3), .integer(0), .integer(1), .blob(greatest), .text("18446744073709551618"),
        .text("27670116110564327421"), .text("6"), .text("1.5"), .text("0.75"), .real(3), .text("n1"), .integer(1),
        .null,
        .null,
      ]
      #expect(whole == [wanted])
    }

    @Test("groups are computed for each value, in the order of the values, nil first")
    func groups() throws {
      let store = try TestDatabase(Specimen.self)
      let specimens = (1...6).map { Specimen($0) }
      for specimen in specimens {
        specimen.rest = specimen.code % 3 == 0 ? nil : specimen.code % 3
        specimen.size = specimen.code % 2 == 0 ? .max : 1
      }
      try store.insert(specimens)
      #expect(
        try results([(.count, nil), (.sum, "code")], by: "rest", in: store) == [
          [.null, .integer(2), .text("9")], [.integer(1), .integer(2), .text("5")],
          [.integer(2), .integer(2), .text("7")],
        ])
      let greatest = withUnsafeBytes(of: UInt64.max.bigEndian) { Data($0) }
      #expect(
        try results([(.count, nil)], by: "size", in: store) == [
          [.integer(1), .integer(3)], [.blob(greatest), .integer(3)],
        ])
    }

    @Test("a sum with more digits than a decimal number is reported")
    func inexact() throws {
      let store = try TestDatabase(Specimen.self)
      let specimens = (1...2).map { Specimen($0) }
      specimens[0].price = Decimal(string: "99999999999999999999999999999999999999") ?? 0
      specimens[1].price = Decimal(string: "0.00000000000000000000000000000000000001") ?? 0
      try store.insert(specimens)
      #expect(try results([(.sum, "price")], in: store) == [[.text(SumAccumulator.inexactText)]])
    }

    @Test("aggregates of floating-point numbers that overflow are computed in memory")
    func overflow() throws {
      let store = try TestDatabase(Specimen.self)
      let specimens = (1...2).map { Specimen($0) }
      for specimen in specimens { specimen.weight = .greatestFiniteMagnitude }
      try store.insert(specimens)
      #expect(throws: UntranslatableExpression.self) { try results([(.sum, "weight")], in: store) }
      #expect(try results([(.count, nil)], in: store) == [[.integer(2)]])
    }

    @Test("query plans have the statement, its values and the steps")
    func plan() throws {
      let store = try TestDatabase(Specimen.self)
      try store.insert([Specimen(1)])
      let tree = try store.tree(#Predicate<Specimen> { $0.name == "it's" && $0.count > 3 })
      let plan = try store.session.explain(
        FetchRequest(entity: try store.table(Specimen.self).entity, selection: .matching(tree)))
      #expect(plan.statement.hasPrefix("SELECT"))
      #expect(plan.bindings == ["'it''s'", "3"])
      #expect(plan.steps.contains { $0.text.contains("Scan") })
      #expect(plan.steps.first?.depth == 0)
    }
  }
#endif
