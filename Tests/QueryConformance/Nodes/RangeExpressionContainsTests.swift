import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.RangeExpressionContains")
struct RangeExpressionContainsNodeTests {
  @Test("a range contains values between its bounds", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let (numbers, texts, open) = (1...20, "A"..<"B", 0.5...)
    let upTo = ..<4
    try world.check(#Predicate<Person> { numbers.contains($0.age) }, becomes: #""age" >= ?1 AND "age" <= ?2"#)
    try world.check(
      #Predicate<Person> { texts.contains($0.name) },
      becomes: #""name" >= ?1 AND "name" < ?2"#)
    try world.check(#Predicate<Person> { open.contains($0.score) }, becomes: #""score" >= ?1 AND "score" < ''"#)
    try world.check(#Predicate<Person> { upTo.contains($0.age) }, becomes: #""age" < ?1"#)
  }
}
