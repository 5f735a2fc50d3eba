import Foundation
import PersistenceCore
import Testing

@Suite("Predicates that are left to memory")
struct EvaluatedExpressionTests {
  @Test("arithmetic is named")
  func arithmetic() {
    #expect(obstacle(to: #Predicate { $0.count + 1 == 2 })?.contains("arithmetic") == true)
    #expect(obstacle(to: #Predicate { $0.count / 2 == 2 })?.contains("division") == true)
    #expect(obstacle(to: #Predicate { $0.count % 2 == 0 })?.contains("remainder") == true)
    #expect(obstacle(to: #Predicate { -$0.count == 2 })?.contains("negative") == true)
  }

  @Test("what is asked about collections is named")
  func collections() {
    #expect(obstacle(to: #Predicate { $0.tags.contains { $0 == "a" } })?.contains("contains(where:)") == true)
    #expect(obstacle(to: #Predicate { $0.tags.allSatisfy { $0 == "a" } })?.contains("allSatisfy") == true)
    #expect(obstacle(to: #Predicate { $0.tags.filter { $0 == "a" }.isEmpty })?.contains("filter") == true)
    #expect(obstacle(to: #Predicate { $0.tags[0] == "a" })?.contains("element") == true)
    #expect(obstacle(to: #Predicate { $0.tags.count == 1 })?.contains("member") == true)
  }

  @Test("casts and checks of types are named")
  func types() {
    #expect(obstacle(to: #Predicate { ($0.name as Any as? String) == "a" })?.contains("as") == true)
    let check = Predicate<Item> { item in
      PredicateExpressions.TypeCheck<PredicateExpressions.Variable<Item>, String>(item)
    }
    #expect(obstacle(to: check)?.contains("does not inherit") == true)
  }

  @Test("one part that is left to memory leaves the whole predicate")
  func part() {
    #expect(obstacle(to: #Predicate { $0.isDone && $0.count + 1 == 2 }) != nil)
    #expect(obstacle(to: #Predicate { !($0.isDone || $0.title == "A") }) != nil)
  }

  @Test("the error for users names the obstacle and the way out")
  func errors() {
    let obstacle = UntranslatableExpression("arithmetic (+, - or *)")
    #expect(obstacle.predicateError == .unsupportedPredicate)
    #expect(obstacle.predicateError.explanation?.contains("arithmetic") == true)
    #expect(obstacle.sortError == .unsupportedSortDescriptor)
  }

  @Test("an expression of a type that nobody knows is left to memory")
  func foreignExpression() {
    #expect(obstacle(to: Predicate { _ in Foreign() })?.contains("Foreign") == true)
  }
}

private struct Foreign: StandardPredicateExpression {
  func evaluate(_ bindings: PredicateBindings) throws -> Bool { true }
}
