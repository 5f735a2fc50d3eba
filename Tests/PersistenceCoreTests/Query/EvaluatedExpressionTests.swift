import Foundation
import PersistenceCore
import Testing

@Suite("Predicates that are evaluated in memory")
struct EvaluatedExpressionTests {
  @Test("untranslatable operations on collections are named in the error")
  func collections() {
    #expect(obstacle(to: #Predicate { $0.tags.filter { $0 == "a" } == [] })?.contains("filter") == true)
    let range = 0..<1
    #expect(obstacle(to: #Predicate { $0.tags[range].contains("a") }) != nil)
  }

  @Test("untranslatable casts and type checks are named in the error")
  func types() {
    #expect(obstacle(to: #Predicate { ($0.name as Any as? String) == "a" })?.contains("as") == true)
    let check = Predicate<Item> { item in
      PredicateExpressions.TypeCheck<PredicateExpressions.Variable<Item>, String>(item)
    }
    #expect(obstacle(to: check)?.contains("does not inherit") == true)
  }

  @Test("one untranslatable part makes the whole predicate untranslatable")
  func part() {
    #expect(obstacle(to: #Predicate { $0.isDone && $0.tags.filter { $0 == "a" } == [] }) != nil)
    #expect(obstacle(to: #Predicate { !($0.isDone || $0.title == "A") }) != nil)
  }

  @Test("an expression of an unknown type is evaluated in memory")
  func foreignExpression() {
    #expect(obstacle(to: Predicate { _ in Foreign() })?.contains("Foreign") == true)
  }
}

private struct Foreign: StandardPredicateExpression {
  func evaluate(_ bindings: PredicateBindings) throws -> Bool { true }
}
