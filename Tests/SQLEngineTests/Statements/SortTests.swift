import Foundation
import PersistenceCore
import SQLEngine
import Testing

@Suite("Sort orders as SQL")
struct SortTests {
  private let dialects: Dialects

  init() throws { dialects = try Dialects(Models.music + [Record.self]) }

  static let valueCases: [StatementCase] = [
    StatementCase(
      "a number", sqlite: #""count", "_osd_key""#, other: "[count] ASC NULLS FIRST, [_osd_key]"
    ) { try $0.order(SortDescriptor(\Record.count)) },
    StatementCase(
      "in reverse", sqlite: #""rest" DESC, "_osd_key""#, other: "[rest] DESC NULLS LAST, [_osd_key]"
    ) { try $0.order(SortDescriptor(\Record.rest, order: .reverse)) },
    StatementCase(
      "several", sqlite: #""size", "count" DESC, "_osd_key""#,
      other: "[size] ASC NULLS FIRST, [count] DESC NULLS LAST, [_osd_key]"
    ) { try $0.order(SortDescriptor(\Record.size), SortDescriptor(\Record.count, order: .reverse)) },
    StatementCase(
      "a text with an index", sqlite: #""title", "_osd_key""#,
      other: "[title] ASC NULLS FIRST, [_osd_key]"
    ) { try $0.order(SortDescriptor(\Record.title)) },
    StatementCase(
      "a text without one", sqlite: #""note", "_osd_key""#,
      other: "[note] ASC NULLS FIRST, [_osd_key]"
    ) { try $0.order(SortDescriptor(\Record.note)) },
    StatementCase(
      "a text as people order it", sqlite: #""title" COLLATE LOCALIZED_STANDARD, "_osd_key""#,
      other: "localizedStandard([title]) ASC NULLS FIRST, [_osd_key]"
    ) { try $0.order(SortDescriptor(\Record.title, comparator: .localizedStandard)) },
    StatementCase(
      "a Boolean", sqlite: #""isOpen", "_osd_key""#, other: "[isOpen] ASC NULLS FIRST, [_osd_key]"
    ) { try $0.order(SortDescriptor(\Record.isOpen)) },
    StatementCase(
      "cases that order themselves", sqlite: #"CASE "grade" WHEN 2 THEN 1 WHEN 1 THEN 2 END, "_osd_key""#,
      other: "CASE [grade] WHEN 2 THEN 1 WHEN 1 THEN 2 END ASC NULLS FIRST, [_osd_key]"
    ) { try $0.order(SortDescriptor(\Record.grade)) },
    StatementCase(
      "a member of a struct", sqlite: #""spot_city", "_osd_key""#,
      other: "[spot_city] ASC NULLS FIRST, [_osd_key]"
    ) { try $0.order(SortDescriptor(\Record.spot.city)) },
  ]

  @Test("rows are sorted by the values, and rows with equal values by their keys", arguments: valueCases)
  func values(_ item: StatementCase) throws { try item.check(in: dialects) }

  static let pathCases: [StatementCase] = [
    StatementCase(
      "a number behind a required relationship",
      sqlite: #"(SELECT "_osd_1"."year" FROM "Album" AS "_osd_1" WHERE "_osd_1"."_osd_key" = "Cover"."album"), "#
        + #""_osd_key""#,
      other: "(SELECT [_osd_1].[year] FROM app.[Album] AS [_osd_1] WHERE [_osd_1].[_osd_key] = [Cover].[album]) "
        + "ASC NULLS FIRST, [_osd_key]"
    ) { try $0.order(SortDescriptor(\Cover.album.year)) },
    StatementCase(
      "a text behind an optional one",
      sqlite: #"(SELECT "_osd_1"."name" FROM "Band" AS "_osd_1" "#
        + #"WHERE "_osd_1"."_osd_key" = "Album"."band"), "_osd_key""#,
      other: "(SELECT [_osd_1].[name] FROM app.[Band] AS [_osd_1] "
        + "WHERE [_osd_1].[_osd_key] = [Album].[band]) ASC NULLS FIRST, [_osd_key]"
    ) { try $0.order(SortDescriptor(\Album.band?.name)) },
    StatementCase(
      "a number behind the end without a column, which several rows may refer to",
      sqlite: #"(SELECT "_osd_1"."width" FROM "Cover" AS "_osd_1" WHERE "_osd_1"."album" = "Album"."_osd_key" "#
        + #"ORDER BY "_osd_1"."_osd_key" DESC LIMIT 1), "_osd_key""#,
      other: "(SELECT [_osd_1].[width] FROM app.[Cover] AS [_osd_1] WHERE [_osd_1].[album] = [Album].[_osd_key] "
        + "ORDER BY [_osd_1].[_osd_key] DESC FETCH FIRST 1 ROWS ONLY) ASC NULLS FIRST, [_osd_key]"
    ) { try $0.order(SortDescriptor(\Album.cover?.width)) },
    StatementCase(
      "a text two steps away",
      sqlite: #"(SELECT (SELECT "_osd_2"."name" FROM "Band" AS "_osd_2" "#
        + #"WHERE "_osd_2"."_osd_key" = "_osd_1"."band") FROM "Album" AS "_osd_1" "#
        + #"WHERE "_osd_1"."_osd_key" = "Cover"."album"), "_osd_key""#,
      other: "(SELECT (SELECT [_osd_2].[name] FROM app.[Band] AS [_osd_2] "
        + "WHERE [_osd_2].[_osd_key] = [_osd_1].[band]) FROM app.[Album] AS [_osd_1] "
        + "WHERE [_osd_1].[_osd_key] = [Cover].[album]) ASC NULLS FIRST, [_osd_key]"
    ) { try $0.order(SortDescriptor(\Cover.album.band?.name)) },
  ]

  @Test("a property of a related row is read by a subquery, so that columns keep their names", arguments: pathCases)
  func paths(_ item: StatementCase) throws { try item.check(in: dialects) }
}
