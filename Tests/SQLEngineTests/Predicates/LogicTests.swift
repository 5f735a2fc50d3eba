import Foundation
import PersistenceCore
import Testing

@Suite("Logic as SQL")
struct LogicTests {
  private let dialects: Dialects

  init() throws { dialects = try Dialects([Record.self]) }

  static let joinedCases: [PredicateCase<Record>] = [
    .init("everything", #Predicate { _ in true }, sqlite: "", other: ""),
    .init("nothing", #Predicate { _ in false }, sqlite: "FALSE", other: "FALSE"),
    .init("a stored Boolean", #Predicate { $0.isOpen }, sqlite: #""isOpen" = 1"#, other: "is_set([isOpen])"),
    .init(
      "its opposite", #Predicate { !$0.isOpen }, sqlite: #"NOT ("isOpen" = 1)"#, other: "NOT (is_set([isOpen]))"),
    .init(
      "and", #Predicate { $0.count > 1 && $0.isOpen }, sqlite: #""count" > ?1 AND "isOpen" = 1"#,
      other: "[count] > $1 AND is_set([isOpen])"),
    .init(
      "or in and", #Predicate { $0.isOpen && ($0.count > 1 || $0.count == 0) },
      sqlite: #""isOpen" = 1 AND ("count" > ?1 OR "count" = ?2)"#,
      other: "is_set([isOpen]) AND ([count] > $1 OR [count] = $2)"),
    .init(
      "and in or", #Predicate { $0.isOpen || ($0.count > 1 && $0.count < 9) },
      sqlite: #""isOpen" = 1 OR ("count" > ?1 AND "count" < ?2)"#,
      other: "is_set([isOpen]) OR ([count] > $1 AND [count] < $2)"),
    .init(
      "several, without parentheses", #Predicate { $0.isOpen || $0.count > 1 || $0.size == 0 },
      sqlite: #""isOpen" = 1 OR "count" > ?1 OR "size" = ?2"#,
      other: "is_set([isOpen]) OR [count] > $1 OR [size] = $2::unsigned"),
  ]

  @Test("conditions are joined with no more parentheses than they need", arguments: joinedCases)
  func joined(_ item: PredicateCase<Record>) throws { try item.check(in: dialects) }

  static let unknownCases: [PredicateCase<Record>] = [
    .init(
      "the opposite of an equality that may be unknown", #Predicate { !($0.note == "a") },
      sqlite: #"("note" = ?1) IS NOT TRUE"#, other: "([note] = $1) IS NOT TRUE"),
    .init(
      "the opposite of what is always known", #Predicate { !($0.note == nil) }, sqlite: #"NOT ("note" IS NULL)"#,
      other: "NOT ([note] IS NULL)"),
    .init(
      "a Boolean that may be nil", #Predicate { $0.isGood == true }, sqlite: #""isGood" = ?1"#,
      other: "[isGood] = $1"),
    .init(
      "false for nil", #Predicate { $0.isGood ?? false }, sqlite: #"coalesce("isGood", 0) = 1"#,
      other: "is_set(coalesce([isGood], B'0'))"),
    .init(
      "another value for nil", #Predicate { ($0.rest ?? 0) > 3 }, sqlite: #"coalesce("rest", ?1) > ?2"#,
      other: "coalesce([rest], $1) > $2"),
    .init(
      "another text for nil", #Predicate { ($0.note ?? $0.title) == "a" },
      sqlite: #"coalesce("note", "title") = ?1"#, other: "coalesce([note], [title]) = $1"),
  ]

  @Test("nil is a value in Swift's conditions, and unknown in SQL's", arguments: unknownCases)
  func unknown(_ item: PredicateCase<Record>) throws { try item.check(in: dialects) }

  static let valuesCases: [PredicateCase<Record>] = [
    .init(
      "compared with a property", #Predicate { ($0.count > 3) == $0.isOpen },
      sqlite: #"("count" > ?1) = "isOpen""#, other: "bit([count] > $1) = [isOpen]"),
    .init(
      "unknown is false", #Predicate { ($0.note == "a") == false },
      sqlite: #"(("note" = ?1) IS TRUE) = ?2"#,
      other: "bit(([note] = $1) IS TRUE) = $2"),
    .init(
      "one of two", #Predicate { $0.isOpen ? $0.count == 1 : $0.count == 2 },
      sqlite: #"CASE WHEN "isOpen" = 1 THEN ("count" = ?1) ELSE ("count" = ?2) END = 1"#,
      other: "is_set(CASE WHEN is_set([isOpen]) THEN bit([count] = $1) ELSE bit([count] = $2) END)"),
    .init(
      "one of two numbers", #Predicate { ($0.isOpen ? $0.count : 0) > 4 },
      sqlite: #"CASE WHEN "isOpen" = 1 THEN "count" ELSE ?1 END > ?2"#,
      other: "CASE WHEN is_set([isOpen]) THEN [count] ELSE $1 END > $2"),
  ]

  @Test("a condition that is compared is translated to a value, like a stored Boolean", arguments: valuesCases)
  func values(_ item: PredicateCase<Record>) throws { try item.check(in: dialects) }
}
