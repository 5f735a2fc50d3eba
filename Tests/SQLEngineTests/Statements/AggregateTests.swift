import Foundation
import PersistenceCore
import SQLEngine
import Testing

@Suite("Aggregates as statements")
struct AggregateTests {
  private let dialects: Dialects

  init() throws { dialects = try Dialects(Models.music + Models.vehicles + [Record.self]) }

  static let columnCases: [StatementCase] = [
    StatementCase(
      "rows", sqlite: #"SELECT count(*) FROM "Record""#, other: "SELECT count(*) FROM app.[Record]"
    ) { try $0.aggregate([AggregateColumn(.count, nil)], of: Record.self) },
    StatementCase(
      "values, and different ones", sqlite: #"SELECT count("rest"), count(DISTINCT "rest") FROM "Record""#,
      other: "SELECT count([rest]), count(DISTINCT [rest]) FROM app.[Record]"
    ) { writer in
      let rest = try writer.operand(SortDescriptor(\Record.rest))
      return try writer.aggregate(
        [AggregateColumn(.count, rest), AggregateColumn(.countDistinct, rest)], of: Record.self)
    },
    StatementCase(
      "sums, each by its format",
      sqlite: #"SELECT sum_of_integers("count"), sum_of_reals("weight"), sum_of_decimals("price") FROM "Record""#,
      other: "SELECT sum_integer([count]), sum_real([weight]), sum_decimal([price]) FROM app.[Record]"
    ) { writer in
      let operands = [
        try writer.operand(SortDescriptor(\Record.count)), try writer.operand(SortDescriptor(\Record.weight)),
        try writer.operand(SortDescriptor(\Record.price)),
      ]
      return try writer.aggregate(operands.map { AggregateColumn(.sum, $0) }, of: Record.self)
    },
    StatementCase(
      "extremes of numbers and of texts", sqlite: #"SELECT min("count"), max("title") FROM "Record""#,
      other: "SELECT min([count]), max([title]) FROM app.[Record]"
    ) { writer in
      let (count, title) = (
        try writer.operand(SortDescriptor(\Record.count)), try writer.operand(SortDescriptor(\Record.title))
      )
      return try writer.aggregate(
        [AggregateColumn(.minimum, count), AggregateColumn(.maximum, title)], of: Record.self)
    },
    StatementCase(
      "of rows that meet a condition, by an expression",
      sqlite: #"SELECT sum_of_integers(_osd_calculate(2, 3, "count", ?2)) FROM "Record" WHERE "count" > ?1"#,
      other: "SELECT sum_integer(multiply_int64([count], $2)) FROM app.[Record] WHERE [count] > $1"
    ) { writer in
      let doubled = try writer.operand(#Expression<Record, Int> { $0.count * 2 })
      return try writer.aggregate(
        [AggregateColumn(.sum, doubled)], where: #Predicate<Record> { $0.count > 1 }, of: Record.self)
    },
    StatementCase(
      "of a subclass", sqlite: #"SELECT sum_of_integers("seats") FROM "Vehicle" WHERE "_osd_entity" = 'Bus'"#,
      other: "SELECT sum_integer([seats]) FROM app.[Vehicle] WHERE [_osd_entity] = N'Bus'"
    ) { writer in
      let seats = try writer.operand(SortDescriptor(\Bus.seats))
      return try writer.aggregate([AggregateColumn(.sum, seats)], of: Bus.self)
    },
  ]

  @Test("each aggregate column is a function of its operand", arguments: columnCases)
  func columns(_ item: StatementCase) throws { try item.check(in: dialects) }

  static let groupCases: [StatementCase] = [
    StatementCase(
      "a number", sqlite: #"SELECT "rest", count(*) FROM "Record" GROUP BY 1 ORDER BY 1"#,
      other: "SELECT [rest], count(*) FROM app.[Record] GROUP BY 1 ORDER BY 1 ASC NULLS FIRST"
    ) { writer in
      let rest = try writer.operand(SortDescriptor(\Record.rest))
      return try writer.aggregate([AggregateColumn(.count, nil)], group: rest, of: Record.self)
    },
    StatementCase(
      "a text", sqlite: #"SELECT "title", count(*) FROM "Record" GROUP BY 1 ORDER BY 1"#,
      other: "SELECT [title], count(*) FROM app.[Record] GROUP BY 1 ORDER BY 1 ASC NULLS FIRST"
    ) { writer in
      let title = try writer.operand(SortDescriptor(\Record.title))
      return try writer.aggregate([AggregateColumn(.count, nil)], group: title, of: Record.self)
    },
    StatementCase(
      "a condition",
      sqlite: #"SELECT ("rest" IS NOT NULL), count(*) FROM "Record" GROUP BY 1 ORDER BY 1"#,
      other: "SELECT bit([rest] IS NOT NULL), count(*) FROM app.[Record] GROUP BY 1 ORDER BY 1 ASC NULLS FIRST"
    ) { writer in
      let hasRest = try writer.operand(#Expression<Record, Bool> { $0.rest != nil })
      return try writer.aggregate([AggregateColumn(.count, nil)], group: hasRest, of: Record.self)
    },
    StatementCase(
      "a value behind a relationship",
      sqlite: #"SELECT t1."year", count(*) FROM "Cover" LEFT JOIN "Album" AS t1 ON t1."_osd_key" = "Cover"."album" "#
        + "GROUP BY 1 ORDER BY 1",
      other: "SELECT t1.[year], count(*) FROM app.[Cover] LEFT JOIN app.[Album] AS t1 "
        + "ON t1.[_osd_key] = [Cover].[album] GROUP BY 1 ORDER BY 1 ASC NULLS FIRST"
    ) { writer in
      let year = try writer.operand(#Expression<Cover, Int> { $0.album.year })
      return try writer.aggregate([AggregateColumn(.count, nil)], group: year, of: Cover.self)
    },
  ]

  @Test("the group values are the first columns, and the rows are sorted by them", arguments: groupCases)
  func groups(_ item: StatementCase) throws { try item.check(in: dialects) }
}
