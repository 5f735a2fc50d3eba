import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.Negation")
struct NegationNodeTests {
  @Test("the negation of an unknown value is unknown, and nil is not true", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Person> { !$0.isActive }, becomes: #"NOT ("isActive" = 1)"#)
    try world.check(#Predicate<Person> { !($0.age > 4) }, becomes: #"NOT ("age" > ?1)"#)
    try world.check(
      #Predicate<Person> { !($0.nickname == "nick") }, becomes: #"("nickname" = ?1) IS NOT TRUE"#)
    try world.check(
      #Predicate<Person> { !($0.isActive && $0.age > 4) }, becomes: #"NOT ("isActive" = 1 AND "age" > ?1)"#)
  }
}
