import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.Conjunction")
struct ConjunctionNodeTests {
  @Test("a conjunction is true if both conditions are true", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Person> { $0.age > 0 && $0.isActive }, becomes: #""age" > ?1 AND "isActive" = 1"#)
    try world.check(
      #Predicate<Person> { $0.age > 0 && $0.isActive && $0.name != "Bob" },
      becomes: #""age" > ?1 AND "isActive" = 1 AND "name" <> ?2"#)
    try world.check(
      #Predicate<Person> { $0.age > 0 && $0.name.hashValue != 0 }, becomes: #""age" > ?1"#,
      inMemory: "a member of type Int of a String")
  }
}
