import Foundation
import PersistenceCore
import Testing

@Suite("Logic in predicates")
struct PredicateLogicTests {
  @Test("&& and || follow their operands in the translation")
  func binary() throws {
    let tree = try translate(#Predicate { $0.count > 1 && $0.name == "a" || $0.isDone })
    #expect(
      tree.nodes == [
        .property("count"), .value(.integer), .greater, .property("name"), .value(.text), .equal, .and,
        .property("isDone"), .or,
      ])
    #expect(tree.values == [.integer(1), .text("a", .text)])
  }

  @Test("! follows its operand in the translation")
  func negation() throws {
    #expect(try translate(#Predicate { !$0.isDone }).nodes == [.property("isDone"), .not])
  }

  @Test("a Bool property is a condition by itself")
  func bareProperty() throws {
    #expect(try translate(#Predicate { $0.isDone }).nodes == [.property("isDone")])
  }

  @Test("a literal Bool as a condition is a constant, not a value")
  func truth() throws {
    let showsAll = false
    let always = try translate(#Predicate { _ in true })
    #expect(always.nodes == [.truth(true)])
    #expect(always.values.isEmpty)
    #expect(
      try translate(#Predicate { showsAll || $0.isDone }).nodes == [.truth(false), .property("isDone"), .or])
  }

  @Test("a conditional follows its test and both branches in the translation")
  func conditional() throws {
    let tree = try translate(#Predicate { $0.isDone ? $0.count > 1 : false })
    #expect(
      tree.nodes == [
        .property("isDone"), .property("count"), .value(.integer), .greater, .truth(false), .conditional,
      ])
    let values = try translate(#Predicate { ($0.isDone ? $0.count : 3) == 1 })
    #expect(
      values.nodes == [
        .property("isDone"), .property("count"), .value(.integer), .conditional, .value(.integer), .equal,
      ])
  }
}
