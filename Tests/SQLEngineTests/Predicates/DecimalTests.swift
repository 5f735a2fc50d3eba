import Foundation
import PersistenceCore
import SQLiteStore
import Testing

@Suite("SQL for decimals")
struct DecimalTests {
  private let dialects: Dialects

  init() throws { dialects = try Dialects([Ware.self, Bargain.self]) }

  /// The SQLite expression that computes the index key of a decimal.
  private static func key(_ value: String) -> String {
    "CASE WHEN \(value) < '.' THEN char(1000 - instr(\(value) || '.', '.')) || "
      + "replace(replace(replace(replace(replace(replace(replace(replace(replace(replace("
      + "\(value), '0', 'j'), '1', 'i'), '2', 'h'), '3', 'g'), '4', 'f'), '5', 'e'), '6', 'd'), '7', 'c'), '8', 'b'), "
      + "'9', 'a') || '~' WHEN \(value) < ':' THEN char(1000 + instr(\(value) || '.', '.')) || \(value) "
      + "WHEN \(value) = 'NaN' THEN '' ELSE char(2000) || \(value) END"
  }

  private static func column(_ name: String) -> String { key("\"\(name)\"") }

  static let comparisonCases: [PredicateCase<Ware>] = {
    let (low, high) = (Decimal(1), Decimal(2))
    let (some, none) = ([low, high], [low, nil])
    return [
      .init(
        "equal without an index: by digits", #Predicate { $0.cost == low }, sqlite: #""cost" = ?1"#,
        other: "[cost] = $1::decimal"),
      .init(
        "ordered without an index: by value", #Predicate { $0.cost < low }, sqlite: #""cost" COLLATE DECIMAL < ?1"#,
        other: "CAST([cost] AS NUMERIC) < $1::decimal"),
      .init(
        "in a range without an index", #Predicate { (low..<high).contains($0.cost) },
        sqlite: #""cost" COLLATE DECIMAL >= ?1 AND "cost" COLLATE DECIMAL < ?2"#,
        other: "CAST([cost] AS NUMERIC) >= $1::decimal AND CAST([cost] AS NUMERIC) < $2::decimal"),
      .init(
        "in a list without an index", #Predicate { some.contains($0.cost) },
        sqlite: #""cost" IN (SELECT value FROM _osd_list(?1))"#, other: "[cost] = ANY($1::decimal[])"),
      .init(
        "equal with an index: by key", #Predicate { $0.price == low },
        sqlite: "\(column("price")) = \(key("?1"))", other: "key([price]) = key($1::decimal)"),
      .init(
        "different: by digits, which no index finds", #Predicate { $0.price != low }, sqlite: #""price" <> ?1"#,
        other: "[price] <> $1::decimal"),
      .init(
        "ordered with an index, on either side", #Predicate { low <= $0.price },
        sqlite: "\(key("?1")) <= \(column("price"))", other: "key($1::decimal) <= key([price])"),
      .init(
        "in a range with an index", #Predicate { (low...high).contains($0.price) },
        sqlite: "\(column("price")) >= \(key("?1")) AND \(column("price")) <= \(key("?2"))",
        other: "key([price]) >= key($1::decimal) AND key([price]) <= key($2::decimal)"),
      .init(
        "in a list with an index", #Predicate { some.contains($0.price) },
        sqlite: "\(column("price")) IN (SELECT \(key("value")) FROM _osd_list(?1))",
        other: "key([price]) = ANY(key_each($1::decimal[]))"),
      .init(
        "two columns: by value", #Predicate { $0.price < $0.cost }, sqlite: #""price" COLLATE DECIMAL < "cost""#,
        other: "CAST([price] AS NUMERIC) < [cost]"),
      .init(
        "nil, in the second place of an index", #Predicate { $0.discount == nil },
        sqlite: "\(column("discount")) IS NULL", other: "key([discount]) IS NULL"),
      .init(
        "not nil", #Predicate { $0.discount != nil }, sqlite: #""discount" IS NOT NULL"#,
        other: "[discount] IS NOT NULL"),
      .init(
        "a list with nil", #Predicate { none.contains($0.discount) },
        sqlite: "\(column("discount")) IN (SELECT \(key("value")) FROM _osd_list(?1)) OR \(column("discount")) IS NULL",
        other: "key([discount]) = ANY(key_each($1::decimal[])) OR key([discount]) IS NULL"),
      .init(
        "unique and indexed: equal by digits", #Predicate { $0.fee == low }, sqlite: #""fee" = ?1"#,
        other: "[fee] = $1::decimal"),
      .init(
        "unique and indexed: ordered by key", #Predicate { $0.fee > low },
        sqlite: "\(column("fee")) > \(key("?1"))", other: "key([fee]) > key($1::decimal)"),
      .init(
        "unique alone: ordered by value", #Predicate { $0.number > low }, sqlite: #""number" COLLATE DECIMAL > ?1"#,
        other: "CAST([number] AS NUMERIC) > $1::decimal"),
      .init(
        "a member of a struct", #Predicate { $0.weighing.net == low },
        sqlite: "\(column("weighing_net")) = \(key("?1"))", other: "key([weighing_net]) = key($1::decimal)"),
      .init(
        "a calculation of constants", #Predicate { $0.price > low + high },
        sqlite: "\(column("price")) > \(key("?1"))",
        other: "key([price]) > key($1::decimal)"),
    ]
  }()

  @Test("decimals are equal if their digits are, and are ordered by value or by index keys", arguments: comparisonCases)
  func comparisons(_ item: PredicateCase<Ware>) throws { try item.check(in: dialects) }

  static let subclassCases: [PredicateCase<Bargain>] = {
    let low = Decimal(1)
    return [
      .init(
        "a column that is inherited", #Predicate { $0.price >= low },
        sqlite: #""_osd_entity" = 'Bargain' AND (\#(column("price")) >= \#(key("?1")))"#,
        other: "[_osd_entity] = N'Bargain' AND (key([price]) >= key($1::decimal))"),
      .init(
        "a column of the subclass", #Predicate { $0.rebate == low },
        sqlite: #""_osd_entity" = 'Bargain' AND (\#(column("rebate")) = \#(key("?1")))"#,
        other: "[_osd_entity] = N'Bargain' AND (key([rebate]) = key($1::decimal))"),
    ]
  }()

  @Test("decimals of a subclass use the indexes of all its superclasses", arguments: subclassCases)
  func subclasses(_ item: PredicateCase<Bargain>) throws { try item.check(in: dialects) }

  static let statementCases: [StatementCase] = [
    StatementCase(
      "indexes have keys, and unique ones digits",
      sqlite: """
        CREATE UNIQUE INDEX "_osd_unique_Ware_fee" ON "Ware" ("fee")
        CREATE UNIQUE INDEX "_osd_unique_Ware_number" ON "Ware" ("number")
        CREATE INDEX "_osd_index_Ware_price" ON "Ware" (\(column("price")))
        CREATE INDEX "_osd_index_Ware_count_discount" ON "Ware" ("count", \(column("discount")))
        CREATE INDEX "_osd_index_Ware_fee" ON "Ware" (\(column("fee")))
        CREATE INDEX "_osd_index_Ware_weighing_net" ON "Ware" (\(column("weighing_net")))
        CREATE INDEX "_osd_index_Bargain_rebate" ON "Ware" (\(column("rebate")))
        """,
      other: """
        CREATE UNIQUE INDEX [_osd_unique_Ware_fee] ON app.[Ware] ([fee] NULLS FIRST)
        CREATE UNIQUE INDEX [_osd_unique_Ware_number] ON app.[Ware] ([number] NULLS FIRST)
        CREATE INDEX [_osd_index_Ware_price] ON app.[Ware] (key([price]) NULLS FIRST)
        CREATE INDEX [_osd_index_Ware_count_discount] ON app.[Ware] ([count] NULLS FIRST, key([discount]) NULLS FIRST)
        CREATE INDEX [_osd_index_Ware_fee] ON app.[Ware] (key([fee]) NULLS FIRST)
        CREATE INDEX [_osd_index_Ware_weighing_net] ON app.[Ware] (key([weighing_net]) NULLS FIRST)
        CREATE INDEX [_osd_index_Bargain_rebate] ON app.[Ware] (key([rebate]) NULLS FIRST)
        """
    ) { writer in
      let tables = [try writer.table(Ware.self), try writer.table(Bargain.self)]
      return tables.flatMap(writer.definition.indexes).filter { !$0.contains("_osd_entity") }.joined(separator: "\n")
    },
    StatementCase(
      "an order without an index", sqlite: #""cost" COLLATE DECIMAL DESC, "_osd_key""#,
      other: "CAST([cost] AS NUMERIC) DESC NULLS LAST, [_osd_key]"
    ) { try $0.order(SortDescriptor(\Ware.cost, order: .reverse)) },
    StatementCase(
      "an order with an index", sqlite: #""count", \#(column("discount")), "_osd_key""#,
      other: "[count] ASC NULLS FIRST, key([discount]) ASC NULLS FIRST, [_osd_key]"
    ) { try $0.order(SortDescriptor(\Ware.count), SortDescriptor(\Ware.discount)) },
    StatementCase(
      "extremes by value, and different ones by digits, whatever the indexes",
      sqlite: #"SELECT min("price" COLLATE DECIMAL), count(DISTINCT "price"), count("price") FROM "Ware""#,
      other: "SELECT min(CAST([price] AS NUMERIC)), count(DISTINCT [price]), count([price]) FROM app.[Ware]"
    ) { writer in
      let price = try writer.operand(SortDescriptor(\Ware.price))
      let functions: [AggregateFunction] = [.minimum, .countDistinct, .count]
      return try writer.aggregate(functions.map { AggregateColumn($0, price) }, of: Ware.self)
    },
    StatementCase(
      "groups", sqlite: #"SELECT "price" COLLATE DECIMAL, count(*) FROM "Ware" GROUP BY 1 ORDER BY 1"#,
      other: "SELECT CAST([price] AS NUMERIC), count(*) FROM app.[Ware] GROUP BY 1 ORDER BY 1 ASC NULLS FIRST"
    ) { writer in
      let price = try writer.operand(SortDescriptor(\Ware.price))
      return try writer.aggregate([AggregateColumn(.count, nil)], group: price, of: Ware.self)
    },
  ]

  @Test("indexes on decimals contain keys unless they are unique", arguments: statementCases)
  func statements(_ item: StatementCase) throws { try item.check(in: dialects) }
}
