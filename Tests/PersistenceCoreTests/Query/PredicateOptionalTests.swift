import Foundation
import PersistenceCore
import Testing

@Suite("The translation of optionals in predicates")
struct PredicateOptionalTests {
  @Test("`??` is translated to an operator that returns its second operand if the first one is nil")
  func coalesce() throws {
    let tree = try translate(#Predicate { ($0.note ?? "none") == "x" })
    #expect(tree.nodes == [.property("note"), .value(.text), .coalesce, .value(.text), .equal])
    #expect(tree.values == [.text("none", .text), .text("x", .text)])
  }

  @Test("a forced unwrap is translated to its operand alone")
  func forcedUnwrap() throws {
    // The operator `!` only makes the source compile. It has no counterpart in a query, in which every value can be
    // NULL.
    let tree = try translate(#Predicate { $0.rank! > 3 })
    #expect(tree.nodes == [.property("rank"), .value(.integer), .greater])
  }

  @Test("optional chaining is translated without a condition if the called function returns nil for nil")
  func chaining() throws {
    let tree = try translate(#Predicate { $0.note?.contains("x") == true })
    #expect(tree.nodes == [.property("note"), .value(.text), .containsText, .truth(false), .coalesce])
    #expect(tree.values == [.text("x", .text)])
  }

  @Test("flatMap with a comparison returns nil for nil, not false")
  func flatMap() throws {
    let tree = try translate(#Predicate { $0.note.flatMap { $0 == "x" } ?? true })
    #expect(
      tree.nodes == [
        .property("note"), .null, .notEqual, .property("note"), .value(.text), .equal, .null, .conditional,
        .truth(true), .coalesce,
      ])
    #expect(tree.values == [.null, .text("x", .text), .null])
  }

  @Test("`if let` binds its variable to the property itself")
  func ifLet() throws {
    let tree = try translate(#Predicate { if let rank = $0.rank { rank > 3 } else { false } })
    #expect(tree.nodes == [.property("rank"), .value(.integer), .greater, .truth(false), .coalesce])
  }

  @Test("a variable of an inner closure does not hide a variable of an outer closure")
  func nested() throws {
    let tree = try translate(
      #Predicate { item in
        item.note.flatMap { note in item.rank.flatMap { rank in rank > 1 && note.contains("x") } } == true
      })
    #expect(tree.nodes.filter { $0 == .property("note") }.count == 2)
    #expect(tree.nodes.filter { $0 == .property("rank") }.count == 2)
  }

  @Test("if the result of flatMap does not use its operand, the translation returns nil for a nil operand")
  func independentResult() throws {
    let tree = try translate(#Predicate { item in item.note.flatMap { _ in item.rank } == 3 })
    #expect(
      tree.nodes == [
        .property("note"), .null, .notEqual, .property("rank"), .null, .conditional, .value(.integer), .equal,
      ])
  }
}
