import Foundation
import PersistenceCore
import Testing

@Suite("Collections as SQL")
struct CollectionTests {
  private let dialects: Dialects

  init() throws { dialects = try Dialects([Record.self]) }

  static let capturedCases: [PredicateCase<Record>] = {
    let (counts, titles, prices) = ([1, 2], ["a", "b"], ["a": 1])
    let (some, none): ([String?], [String?]) = (["a"], ["a", nil])
    return [
      .init(
        "numbers", #Predicate { counts.contains($0.count) }, sqlite: #""count" IN (SELECT value FROM _osd_list(?1))"#,
        other: "[count] = ANY($1::integer[])"),
      .init(
        "texts", #Predicate { titles.contains($0.title) },
        sqlite: #""title" IN (SELECT value FROM _osd_list(?1))"#,
        other: "[title] = ANY($1::text[])"),
      .init(
        "nil is in no list without it", #Predicate { some.contains($0.note) },
        sqlite: #""note" IN (SELECT value FROM _osd_list(?1))"#,
        other: "[note] = ANY($1::text[])"),
      .init(
        "nil is in a list with it", #Predicate { none.contains($0.note) },
        sqlite: #""note" IN (SELECT value FROM _osd_list(?1)) OR "note" IS NULL"#,
        other: "[note] = ANY($1::text[]) OR [note] IS NULL"),
      .init(
        "a dictionary", #Predicate { (prices[$0.title] ?? 9) == $0.count },
        sqlite: "coalesce((SELECT v.value FROM _osd_list(?1) AS k JOIN _osd_list(?2) AS v ON v.rowid = k.rowid "
          + #"WHERE k.value = "title"), ?3) = "count""#,
        other: "coalesce((SELECT v FROM unnest($1::text[], $2::integer[]) AS pairs (k, v) "
          + "WHERE k = [title]), $3) = [count]"),
    ]
  }()

  @Test("a captured collection is one parameter, whatever its length", arguments: capturedCases)
  func captured(_ item: PredicateCase<Record>) throws { try item.check(in: dialects) }

  static let storedCases: [PredicateCase<Record>] = [
    .init(
      "an element", #Predicate { $0.tags.contains("a") },
      sqlite: #"EXISTS (SELECT 1 FROM _osd_list(_osd_elements(4, "Record"."tags")) AS t1 "#
        + "WHERE t1.value = ?1)",
      other: "EXISTS (SELECT 1 FROM unnest_text(json_texts([Record].[tags])) AS t1 (element) "
        + "WHERE t1.element = $1)"),
    .init(
      "an element that meets a condition", #Predicate { $0.tags.contains { $0 > "a" } },
      sqlite: #"EXISTS (SELECT 1 FROM _osd_list(_osd_elements(4, "Record"."tags")) AS t1 "#
        + "WHERE t1.value > ?1)",
      other: "EXISTS (SELECT 1 FROM unnest_text(json_texts([Record].[tags])) AS t1 (element) "
        + "WHERE t1.element > $1)"),
    .init(
      "none", #Predicate { $0.tags.isEmpty },
      sqlite: #"NOT (EXISTS (SELECT 1 FROM _osd_list(_osd_elements(4, "Record"."tags")) AS t1))"#,
      other: "NOT (EXISTS (SELECT 1 FROM unnest_text(json_texts([Record].[tags])) AS t1 (element)))"),
    .init(
      "how many", #Predicate { $0.tags.count == 2 },
      sqlite: #"(SELECT count(*) FROM _osd_list(_osd_elements(4, "Record"."tags")) AS t1) = ?1"#,
      other: "(SELECT count(*) FROM unnest_text(json_texts([Record].[tags])) AS t1 (element)) = $1"),
    .init(
      "the greatest", #Predicate { $0.tags.max() == "b" },
      sqlite: #"(SELECT max(t1.value) FROM _osd_list(_osd_elements(4, "Record"."tags")) AS t1) = ?1"#,
      other: "(SELECT max(t1.element) FROM unnest_text(json_texts([Record].[tags])) AS t1 (element)) = $1"),
    .init(
      "at an index", #Predicate { $0.tags[1] == "a" },
      sqlite: #"(SELECT value FROM _osd_list(_osd_elements(4, "tags")) WHERE rowid = ?1) = ?2"#,
      other: "text_at(json_texts([tags]), $1) = $2"),
    .init(
      "by its key", #Predicate { $0.marks["a"] == 2 }, sqlite: #"_osd_value(0, "marks", ?1) = ?2"#,
      other: "json_integer([marks], $1) = $2"),
  ]

  static let wholeCases: [PredicateCase<Record>] = {
    let lists = [["a"], ["b"]]
    let numbers = [["a"]: 1]
    return [
      .init(
        "a list", #Predicate { $0.tags == ["a"] }, sqlite: #"_osd_form("tags") = _osd_form(?1)"#,
        other: "nfc([tags]) = nfc($1::json)"),
      .init(
        "one of several", #Predicate { lists.contains($0.tags) },
        sqlite: #"_osd_form("tags") IN (SELECT _osd_form(value) FROM _osd_list(?1))"#,
        other: "nfc([tags]) = ANY(nfc_each($1::json[]))"),
      .init(
        "a key", #Predicate { (numbers[$0.tags] ?? 9) == $0.count },
        sqlite: "coalesce((SELECT v.value FROM _osd_list(?1) AS k JOIN _osd_list(?2) AS v ON v.rowid = k.rowid "
          + #"WHERE _osd_form(k.value) = _osd_form("tags")), ?3) = "count""#,
        other: "coalesce((SELECT v FROM unnest($1::json[], $2::integer[]) AS pairs (k, v) "
          + "WHERE nfc(k) = nfc([tags])), $3) = [count]"),
    ]
  }()

  @Test("a whole collection is compared as JSON that contains texts in their stored form", arguments: wholeCases)
  func wholes(_ item: PredicateCase<Record>) throws { try item.check(in: dialects) }

  @Test("a stored collection is expanded by the dialect", arguments: storedCases)
  func stored(_ item: PredicateCase<Record>) throws { try item.check(in: dialects) }

  static let structCases: [PredicateCase<Record>] = {
    let (full, partial) = (Spot(city: "a", zip: 1), Spot(city: "a", zip: nil))
    return [
      .init(
        "a member", #Predicate { $0.spot.city == "a" }, sqlite: #""spot_city" = ?1"#,
        other: "[spot_city] = $1"),
      .init(
        "a member of what may be nil", #Predicate { $0.former?.zip == 1 }, sqlite: #""former_zip" = ?1"#,
        other: "[former_zip] = $1"),
      .init(
        "nil is a member that cannot be", #Predicate { $0.former == nil }, sqlite: #""former_city" IS NULL"#,
        other: "[former_city] IS NULL"),
      .init(
        "a whole", #Predicate { $0.spot == full }, sqlite: #""spot_city" = ?1 AND "spot_zip" = ?2"#,
        other: "[spot_city] = $1 AND [spot_zip] = $2"),
      .init(
        "a whole without a member", #Predicate { $0.spot == partial },
        sqlite: #""spot_city" = ?1 AND "spot_zip" IS NULL"#,
        other: "[spot_city] = $1 AND [spot_zip] IS NULL"),
    ]
  }()

  @Test("a struct is compared by its members, column by column", arguments: structCases)
  func structs(_ item: PredicateCase<Record>) throws { try item.check(in: dialects) }
}
