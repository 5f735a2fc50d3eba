import Foundation
import PersistenceCore
import Testing

@Suite("Comparisons as SQL")
struct ComparisonTests {
  private let dialects: Dialects

  init() throws { dialects = try Dialects([Record.self]) }

  static let equalityCases: [PredicateCase<Record>] = {
    let (token, price, grade) = (UUID(), Decimal(3), Grade.high)
    return [
      .init(
        "a text", #Predicate { $0.title == "a" }, sqlite: #""title" = ?1"#,
        other: "[title] = $1"),
      .init(
        "no text", #Predicate { $0.title != "a" }, sqlite: #""title" <> ?1"#,
        other: "[title] <> $1"),
      .init(
        "a text that may be nil: plain, for an index", #Predicate { $0.note == "a" },
        sqlite: #""note" = ?1"#, other: "[note] = $1"),
      .init(
        "nil differs from a text", #Predicate { $0.note != "a" }, sqlite: #""note" IS NOT ?1"#,
        other: "[note] IS DISTINCT FROM $1"),
      .init(
        "both may be nil", #Predicate { $0.note == $0.remark }, sqlite: #""note" IS "remark""#,
        other: "[note] IS NOT DISTINCT FROM [remark]"),
      .init("nil", #Predicate { $0.note == nil }, sqlite: #""note" IS NULL"#, other: "[note] IS NULL"),
      .init("not nil", #Predicate { $0.note != nil }, sqlite: #""note" IS NOT NULL"#, other: "[note] IS NOT NULL"),
      .init("a number", #Predicate { $0.count == 3 }, sqlite: #""count" = ?1"#, other: "[count] = $1"),
      .init("a number or nil", #Predicate { $0.rest == 3 }, sqlite: #""rest" = ?1"#, other: "[rest] = $1"),
      .init("bytes", #Predicate { $0.token == token }, sqlite: #""token" = ?1"#, other: "[token] = $1::blob"),
      .init("a decimal", #Predicate { $0.price == price }, sqlite: #""price" = ?1"#, other: "[price] = $1::decimal"),
      .init(
        "a case by its raw value", #Predicate { $0.grade == grade }, sqlite: #""grade" = ?1"#, other: "[grade] = $1"),
      .init("a bound real", #Predicate { $0.weight == 1.5 }, sqlite: #""weight" = ?1"#, other: "[weight] = $1::real"),
      .init(
        "two reals, of which not-a-number equals none", #Predicate { $0.weight == $0.height },
        sqlite: #""weight" = "height" AND NOT (typeof("weight") = 'text')"#,
        other: "[weight] = [height] AND NOT (is_nan([weight]))"),
      .init(
        "two reals, of which not-a-number differs from all", #Predicate { $0.weight != $0.height },
        sqlite: #""weight" <> "height" OR typeof("weight") = 'text'"#,
        other: "[weight] <> [height] OR is_nan([weight])"),
    ]
  }()

  @Test("nil equals nil, and not-a-number equals nothing", arguments: equalityCases)
  func equality(_ item: PredicateCase<Record>) throws { try item.check(in: dialects) }

  static let orderCases: [PredicateCase<Record>] = {
    let (date, grade) = (Date(timeIntervalSinceReferenceDate: 1), Grade.high)
    return [
      .init("less", #Predicate { $0.count < 3 }, sqlite: #""count" < ?1"#, other: "[count] < $1"),
      .init("at most", #Predicate { $0.count <= 3 }, sqlite: #""count" <= ?1"#, other: "[count] <= $1"),
      .init("greater", #Predicate { $0.count > 3 }, sqlite: #""count" > ?1"#, other: "[count] > $1"),
      .init("at least", #Predicate { $0.count >= 3 }, sqlite: #""count" >= ?1"#, other: "[count] >= $1"),
      .init(
        "texts by their scalars", #Predicate { $0.title < "m" }, sqlite: #""title" < ?1"#,
        other: "[title] < $1"),
      .init(
        "a greater real is no not-a-number", #Predicate { $0.weight > 2.5 },
        sqlite: #""weight" > ?1 AND "weight" < ''"#, other: "[weight] > $1::real AND [weight] < 'NaN'"),
      .init(
        "a lesser date than a bound one", #Predicate { $0.date < date }, sqlite: #""date" < ?1 AND ?1 < ''"#,
        other: "[date] < $1::real AND $1::real < 'NaN'"),
      .init(
        "a real that may be nil and is greater", #Predicate { $0.ratio.flatMap { $0 > 0.5 } ?? false },
        sqlite: #""ratio" > ?1 AND "ratio" < ''"#, other: "[ratio] > $1::real AND [ratio] < 'NaN'"),
      .init(
        "a real that may be nil and is less", #Predicate { $0.ratio.flatMap { $0 < 0.5 } ?? false },
        sqlite: #""ratio" < ?1 AND (?1 < '' OR "ratio" IS NULL)"#,
        other: "[ratio] < $1::real AND ($1::real < 'NaN' OR [ratio] IS NULL)"),
      .init(
        "cases that order themselves are listed", #Predicate { $0.grade < grade },
        sqlite: #""grade" IN (SELECT value FROM _osd_list(?1))"#, other: "[grade] = ANY($1::integer[])"),
    ]
  }()

  @Test("comparisons use the order of values, in which not-a-number is the greatest", arguments: orderCases)
  func order(_ item: PredicateCase<Record>) throws { try item.check(in: dialects) }

  static let rangeCases: [PredicateCase<Record>] = {
    let (numbers, texts, open) = (2...4, "a"..<"b", 0.5...)
    let (from, to) = (Date(timeIntervalSinceReferenceDate: 1), Date(timeIntervalSinceReferenceDate: 2))
    return [
      .init(
        "written out", #Predicate { (2...4).contains($0.count) }, sqlite: #""count" >= ?1 AND "count" <= ?2"#,
        other: "[count] >= $1 AND [count] <= $2"),
      .init(
        "captured", #Predicate { numbers.contains($0.count) }, sqlite: #""count" >= ?1 AND "count" <= ?2"#,
        other: "[count] >= $1 AND [count] <= $2"),
      .init(
        "of texts, half open", #Predicate { texts.contains($0.title) },
        sqlite: #""title" >= ?1 AND "title" < ?2"#,
        other: "[title] >= $1 AND [title] < $2"),
      .init(
        "of dates", #Predicate { (from..<to).contains($0.date) },
        sqlite: #""date" >= ?1 AND "date" < ?2 AND ?2 < ''"#,
        other: "[date] >= $1::real AND [date] < $2::real AND $2::real < 'NaN'"),
      .init(
        "without an end", #Predicate { open.contains($0.weight) }, sqlite: #""weight" >= ?1 AND "weight" < ''"#,
        other: "[weight] >= $1::real AND [weight] < 'NaN'"),
    ]
  }()

  @Test("a range is a pair of comparisons", arguments: rangeCases)
  func ranges(_ item: PredicateCase<Record>) throws { try item.check(in: dialects) }
}
