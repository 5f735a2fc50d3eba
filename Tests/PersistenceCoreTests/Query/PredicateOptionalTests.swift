import Foundation
import PersistenceCore
import Testing

@Suite("Optionals in predicates")
struct PredicateOptionalTests {
  @Test("?? returns the second operand if the first is nil")
  func coalesce() throws {
    let tree = try translate(#Predicate { ($0.note ?? "none") == "x" })
    #expect(tree.nodes == [.property("note"), .value(.text), .coalesce, .value(.text), .equal])
    #expect(tree.values == [.text("none", .text), .text("x", .text)])
  }

  @Test("a forced unwrap is translated to its operand")
  func forcedUnwrap() throws {
    // The operator ! occurs only in the source of the predicate.
    let tree = try translate(#Predicate { $0.rank! > 3 })
    #expect(tree.nodes == [.property("rank"), .value(.integer), .greater])
  }

  @Test("optional chaining needs no condition if nil gives nil")
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

  @Test("if let binds a variable to its property")
  func ifLet() throws {
    let tree = try translate(#Predicate { if let rank = $0.rank { rank > 3 } else { false } })
    #expect(tree.nodes == [.property("rank"), .value(.integer), .greater, .truth(false), .coalesce])
  }

  @Test("an inner variable does not hide an outer one")
  func nested() throws {
    let tree = try translate(
      #Predicate { item in
        item.note.flatMap { note in item.rank.flatMap { rank in rank > 1 && note.contains("x") } } == true
      })
    #expect(tree.nodes.filter { $0 == .property("note") }.count == 2)
    #expect(tree.nodes.filter { $0 == .property("rank") }.count == 2)
  }

  @Test("a result that does not depend on the operand is nil if the operand is nil")
  func independentResult() throws {
    let tree = try translate(#Predicate { item in item.note.flatMap { _ in item.rank } == 3 })
    #expect(
      tree.nodes == [
        .property("note"), .null, .notEqual, .property("rank"), .null, .conditional, .value(.integer), .equal,
      ])
  }
}
