import Foundation
import PersistenceCore
import Testing

@Suite("Texts and bytes as SQL")
struct TextTests {
  private let dialects: Dialects

  init() throws { dialects = try Dialects([Record.self]) }

  static let searchCases: [PredicateCase<Record>] = [
    .init(
      "a part", #Predicate { $0.title.contains("a") }, sqlite: #"_osd_contains("title", ?1)"#,
      other: "position($1 IN [title]) > 0"),
    .init(
      "no part", #Predicate { !$0.title.contains("a") }, sqlite: #"NOT (_osd_contains("title", ?1))"#,
      other: "NOT (position($1 IN [title]) > 0)"),
    .init(
      "a part of what may be nil", #Predicate { $0.note?.contains("a") == true },
      sqlite: #"_osd_contains("note", ?1)"#, other: "position($1 IN [note]) > 0"),
    .init(
      "a bound prefix is a range too", #Predicate { $0.title.starts(with: "ab") },
      sqlite: #""title" >= ?1 AND "title" < ?2 AND _osd_starts("title", ?1)"#,
      other: "[title] >= $1 AND [title] < $2 AND starts_with([title], $1)"),
    .init(
      "a prefix of the row is none", #Predicate { $0.title.starts(with: $0.code) },
      sqlite: #"_osd_starts("title", "code")"#, other: "starts_with([title], [code])"),
    .init(
      "as people see it", #Predicate { $0.title.localizedStandardContains("a") },
      sqlite: #"_osd_contains_localized("title", ?1)"#, other: "contains_localized([title], $1)"),
    .init(
      "by a regular expression", #Predicate { $0.title.contains(/^a/) },
      sqlite: #"_osd_contains_regex("title", ?1)"#, other: "[title] ~ $1"),
  ]

  @Test("a search is a function of the dialect", arguments: searchCases)
  func searches(_ item: PredicateCase<Record>) throws { try item.check(in: dialects) }

  static let measureCases: [PredicateCase<Record>] = {
    let same = ComparisonResult.orderedSame
    return [
      .init(
        "empty", #Predicate { $0.title.isEmpty }, sqlite: #""title" = ?1"#,
        other: "[title] = $1"),
      .init(
        "the number of characters", #Predicate { $0.title.count > 3 }, sqlite: #"_osd_count("title") > ?1"#,
        other: "char_length([title]) > $1"),
      .init(
        "the number of bytes", #Predicate { $0.bytes.count == 3 }, sqlite: #"length("bytes") = ?1"#,
        other: "octet_length([bytes]) = $1"),
      .init(
        "no bytes", #Predicate { $0.bytes.isEmpty }, sqlite: #"length("bytes") = ?1"#,
        other: "octet_length([bytes]) = $1"),
      .init(
        "whatever the case", #Predicate { $0.title.caseInsensitiveCompare("a") == same },
        sqlite: #"_osd_compare(0, "title", ?1) = ?2"#, other: "compare_caseInsensitive([title], $1) = $2"),
      .init(
        "as people order it", #Predicate { $0.title.localizedCompare("a") == same },
        sqlite: #"_osd_compare(1, "title", ?1) = ?2"#, other: "compare_localized([title], $1) = $2"),
    ]
  }()

  @Test("properties and comparisons of texts and bytes are compared as numbers", arguments: measureCases)
  func measures(_ item: PredicateCase<Record>) throws { try item.check(in: dialects) }
}
