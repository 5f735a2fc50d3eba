import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.Conditional")
struct ConditionalNodeTests {
  @Test("a condition selects one of two values", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let two = 2
    try world.check(
      #Predicate<Person> { ($0.isActive ? $0.age : two) > 3 },
      becomes: #"CASE WHEN "isActive" = 1 THEN "age" ELSE ?1 END > ?2"#)
    try world.check(
      #Predicate<Person> { $0.age > 4 ? $0.isActive : $0.name == "Ada" },
      becomes: #"CASE WHEN "age" > ?1 THEN "isActive" ELSE ("name" = ?2) END = 1"#)
    try world.check(
      #Predicate<Person> { ($0.age > 4 ? $0.name : "Ada") == "Ada" },
      becomes: #"CASE WHEN "age" > ?1 THEN "name" ELSE ?2 END = ?3"#)
  }
}
