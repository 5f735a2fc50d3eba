import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.Disjunction")
struct DisjunctionNodeTests {
  @Test("a disjunction is true if at least one of two conditions is true", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Person> { $0.age > 30 || $0.isActive }, becomes: #""age" > ?1 OR "isActive" = 1"#)
    try world.check(
      #Predicate<Person> { ($0.age > 30 || $0.isActive) && $0.name != "Ada" },
      becomes: #"("age" > ?1 OR "isActive" = 1) AND "name" <> ?2"#)
    try world.check(
      #Predicate<Person> { $0.age > 30 || $0.name.hashValue == 0 }, becomes: #""#,
      inMemory: "a member of type Int of a String")
  }
}
