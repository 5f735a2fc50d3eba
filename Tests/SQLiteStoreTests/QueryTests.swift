import Foundation
import PersistenceCore
import SQLEngine
import Testing

@testable import SQLiteStore

private typealias Item = SampleEntities.Item

@Suite("SQL and results of queries")
struct QueryTests {
  /// Five items with the names a, b, ab, z and 🦆. Some notes, ratings and prices are nil, and both floating-point
  /// properties contain not-a-number.
  private let store: SampleStore

  init() throws {
    store = try .inMemory()
    try store.insertParents(["p", "q"])
    try store.insert([
      ["name": "a", "note": "x", "count": 1, "score": 1.5, "rating": 1.0, "price": "1.5", "parent": 1, "owner": 1],
      [
        "name": "b", "note": nil, "count": 2, "score": .real(-0.0), "rating": nil, "price": "1.5", "parent": 2,
        "owner": nil,
      ],
      ["name": "ab", "note": "", "count": 0, "score": "NaN", "rating": "NaN", "price": "10", "parent": 2, "owner": 1],
      [
        "name": "z", "note": "z", "count": .blob([255, 0, 0, 0, 0, 0, 0, 0]), "score": 9.0, "rating": 9.0, "price": nil,
      ],
      [
        "name": "🦆", "note": "a\0b", "count": -5, "score": .real(-.infinity), "rating": .real(.infinity), "price": "-2",
      ],
    ])
  }

  private func check(
    _ sql: String, _ keys: [Int64], at location: SourceLocation = #_sourceLocation,
    _ build: (inout QueryTree) -> Void
  ) throws {
    #expect(try store.condition(build) == sql, sourceLocation: location)
    #expect(try store.keys(build) == keys, sourceLocation: location)
  }

  @Test("equality is a plain = if one side is not nil, and is null-safe if both sides may be nil")
  func equality() throws {
    try check(#""name" = ?1"#, [1]) { $0.compare(Item.name, .equal, .text("a", .text)) }
    try check(#""note" = ?1"#, [1]) { $0.compare(Item.note, .equal, .text("x", .text)) }
    try check(#""note" IS NULL"#, [2]) { $0.compare(Item.note, .equal, .null) }
    try check("FALSE", []) { $0.compare(Item.name, .equal, .null) }
    try check(#""parent" IS "owner""#, [1, 4, 5]) { $0.append(.property(Item.parent), .property(Item.owner), .equal) }
    try check(#""_osd_key" = ?1"#, [3]) {
      $0.append(.key)
      $0.append(QueryValue.integer(3))
      $0.append(.equal)
    }
  }

  @Test("inequality is true if one side is nil")
  func inequality() throws {
    try check(#""name" <> ?1"#, [2, 3, 4, 5]) { $0.compare(Item.name, .notEqual, .text("a", .text)) }
    try check(#""note" IS NOT ?1"#, [2, 3, 4, 5]) {
      $0.compare(Item.note, .notEqual, .text("x", .text))
    }
    try check(#""note" IS NOT NULL"#, [1, 3, 4, 5]) { $0.compare(Item.note, .notEqual, .null) }
    try check("", [1, 2, 3, 4, 5]) { $0.compare(Item.name, .notEqual, .null) }
    try check(#""parent" IS NOT "owner""#, [2, 3]) {
      $0.append(.property(Item.parent), .property(Item.owner), .notEqual)
    }
  }

  @Test("large unsigned integers are greater than all others")
  func integers() throws {
    try check(#""count" > ?1"#, [1, 2, 4]) { $0.compare(Item.count, .greater, .integer(0)) }
    try check(#""count" < ?1"#, [1, 2, 3, 5]) {
      $0.compare(Item.count, .less, .blob(Data([128, 0, 0, 0, 0, 0, 0, 0]), .integer))
    }
  }

  @Test("not-a-number is neither less nor greater than any value, nor equal to itself")
  func notANumber() throws {
    try check(#""score" > ?1 AND "score" < ''"#, [1, 4]) { $0.compare(Item.score, .greater, .real(0)) }
    try check(#""score" >= ?1 AND "score" < ''"#, [1, 2, 4]) { $0.compare(Item.score, .greaterOrEqual, .real(0)) }
    try check(#""score" < ?1 AND ?1 < ''"#, [2, 5]) { $0.compare(Item.score, .less, .real(1)) }
    for nan in [QueryValue.real(.nan), .text("NaN", .real)] {
      for node in [QueryNode.less, .lessOrEqual, .greater, .greaterOrEqual, .equal] {
        #expect(try store.keys { $0.compare(Item.score, node, nan) } == [])
        #expect(
          try store.keys {
            $0.compare(Item.score, node, nan)
            $0.append(.not)
          } == [1, 2, 3, 4, 5])
      }
      #expect(try store.keys { $0.compare(Item.score, .notEqual, nan) } == [1, 2, 3, 4, 5])
      #expect(try store.keys { $0.compare(Item.rating, .notEqual, nan) } == [1, 2, 3, 4, 5])
    }
    try check(#""score" = "rating" AND NOT (typeof("score") = 'text')"#, [4]) {
      $0.append(.property(Item.score), .property(Item.rating), .equal)
    }
    try check(#""score" IS NOT "rating" OR typeof("score") = 'text'"#, [1, 2, 3, 5]) {
      $0.append(.property(Item.score), .property(Item.rating), .notEqual)
    }
    try check(#""score" < "rating" AND "rating" < ''"#, [5]) {
      $0.append(.property(Item.score), .property(Item.rating), .less)
    }
  }

  @Test("decimals are compared by value")
  func decimals() throws {
    let (price, bound) = (SQLiteDialect().key(ofDecimal: #""price""#), SQLiteDialect().key(ofDecimal: "?1"))
    try check("\(price) = \(bound)", [1, 2]) { $0.compare(Item.price, .equal, .text("1.5", .decimal)) }
    try check("\(price) > \(bound)", [3]) { $0.compare(Item.price, .greater, .text("9", .decimal)) }
    try check(#"coalesce("price", ?1) = ?2"#, [4, 5]) {
      $0.append(.property(Item.price))
      $0.append(QueryValue.text("-2", .decimal))
      $0.append(.coalesce)
      $0.append(QueryValue.text("-2", .decimal))
      $0.append(.equal)
    }
  }

  @Test("a range becomes two comparisons")
  func ranges() throws {
    func range(_ node: QueryNode) -> (inout QueryTree) -> Void {
      {
        $0.append(.property(Item.count))
        $0.append(QueryValue.integer(0))
        $0.append(QueryValue.integer(2))
        $0.append(node)
      }
    }
    try check(#""count" >= ?1 AND "count" <= ?2"#, [1, 2, 3], range(.betweenClosed))
    try check(#""count" >= ?1 AND "count" < ?2"#, [1, 3], range(.betweenHalfOpen))
  }

  @Test("a condition that is unknown becomes false before it is negated, and a nil Bool stays nil")
  func negation() throws {
    try check(#"("note" = ?1) IS NOT TRUE"#, [2, 3, 4, 5]) {
      $0.compare(Item.note, .equal, .text("x", .text))
      $0.append(.not)
    }
    try check(#"NOT ("name" = ?1)"#, [2, 3, 4, 5]) {
      $0.compare(Item.name, .equal, .text("a", .text))
      $0.append(.not)
    }
    try check(#"NOT (_osd_contains("note", ?1))"#, [1, 3, 4]) {
      $0.compare(Item.note, .containsText, .text("b", .text))
      $0.append(.not)
    }
    try check(#"((_osd_contains("note", ?1)) = ?2) IS NOT TRUE"#, [1, 2, 3, 4]) {
      $0.compare(Item.note, .containsText, .text("b", .text))
      $0.append(QueryValue.integer(1))
      $0.append(.equal, .not)
    }
    try check("FALSE", []) { $0.append(.truth(true), .not) }
  }

  @Test("nested conjunctions and disjunctions become flat, with parentheses only where the operators alternate")
  func logic() throws {
    try check(#"("count" = ?1 OR "count" = ?2) AND "name" <> ?3 AND TRUE"#, [1]) {
      $0.compare(Item.count, .equal, .integer(1))
      $0.compare(Item.count, .equal, .integer(2))
      $0.append(.or)
      $0.compare(Item.name, .notEqual, .text("b", .text))
      $0.append(.and, .truth(true), .and)
    }
    let wide = store.tree { tree in
      tree.compare(Item.count, .equal, .integer(0))
      for number in 1..<400 {
        tree.compare(Item.count, .equal, .integer(Int64(number)))
        tree.append(.or)
      }
    }
    let request = FetchRequest(entity: store.entities.item, selection: .matching(wide))
    #expect(try store.engine.keys(request, in: nil) == [1, 2, 3])
  }

  @Test("texts are searched by a part and by a prefix, including texts with U+0000")
  func texts() throws {
    try check(#"_osd_contains("name", ?1)"#, [2, 3]) { $0.compare(Item.name, .containsText, .text("b", .text)) }
    #expect(try store.keys { $0.compare(Item.name, .containsText, .text("", .text)) } == [1, 2, 3, 4, 5])
    #expect(try store.keys { $0.compare(Item.note, .containsText, .text("\0b", .text)) } == [5])
    try check(#""name" >= ?1 AND "name" < ?2 AND _osd_starts("name", ?1)"#, [1, 3]) {
      $0.compare(Item.name, .startsWithText, .text("a", .text))
    }
    #expect(try store.keys { $0.compare(Item.name, .startsWithText, .text("", .text)) } == [1, 2, 3, 4, 5])
    #expect(try store.keys { $0.compare(Item.note, .startsWithText, .text("", .text)) } == [1, 3, 4, 5])
    #expect(try store.keys { $0.compare(Item.note, .startsWithText, .text("a\0", .text)) } == [5])
    #expect(try store.keys { $0.compare(Item.name, .startsWithText, .text("A", .text)) } == [])
    #expect(try store.keys { $0.compare(Item.name, .startsWithText, .text("🦆", .text)) } == [5])
    try check(#"_osd_starts("name", "note")"#, [3, 4]) {
      $0.append(.property(Item.name), .property(Item.note), .startsWithText)
    }
  }

  @Test("a coalescing operator replaces nil, and a conditional expression selects a value")
  func coalescence() throws {
    try check(#"coalesce("note", ?1) = ?2"#, [1, 2]) {
      $0.append(.property(Item.note))
      $0.append(QueryValue.text("x", .text))
      $0.append(.coalesce)
      $0.append(QueryValue.text("x", .text))
      $0.append(.equal)
    }
    try check(#""note" >= ?1 AND "note" < ?2 AND _osd_starts("note", ?1)"#, [1]) {
      $0.compare(Item.note, .startsWithText, .text("x", .text))
      $0.append(.truth(false), .coalesce)
    }
    let range = #""note" >= ?1 AND "note" < ?2"#
    try check(#"coalesce((\#(range) AND _osd_starts("note", ?1)), 1) = 1"#, [1, 2]) {
      $0.compare(Item.note, .startsWithText, .text("x", .text))
      $0.append(.truth(true), .coalesce)
    }
    try check(#"CASE WHEN "note" IS NOT NULL THEN "name" ELSE NULL END = ?1"#, [1]) {
      $0.compare(Item.note, .notEqual, .null)
      $0.append(.property(Item.name))
      $0.append(QueryValue.null)
      $0.append(.conditional)
      $0.append(QueryValue.text("a", .text))
      $0.append(.equal)
    }
  }

  @Test("nil among the captured values does not shift the positions of the other parameters")
  func nilAmongValues() throws {
    try check(#""note" IS NOT NULL AND "name" = ?1"#, [3]) {
      $0.compare(Item.note, .notEqual, .null)
      $0.compare(Item.name, .equal, .text("ab", .text))
      $0.append(.and)
    }
  }

  @Test("an unsupported query throws a descriptive error")
  func unsupported() throws {
    #expect(throws: SwiftDataError.unsupportedPredicate) { try store.keys { $0.append(.property(99)) } }
    #expect(throws: SwiftDataError.unsupportedPredicate) { try store.keys { $0.append(.and) } }
    #expect(throws: SwiftDataError.unsupportedPredicate) { try store.keys { $0.append(.key, .key) } }
    let request = FetchRequest(entity: store.entities.item, sort: [SortTerm(property: 99, isDescending: false)])
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) { try store.engine.keys(request, in: nil) }
  }
}
