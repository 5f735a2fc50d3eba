import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.UnaryMinus")
struct UnaryMinusNodeTests {
  @Test("the negative of a number has its type", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Person> { -$0.age == 10 }, becomes: #"_osd_calculate(1, 3, 0, "age") = ?1"#)
    try world.check(
      #Predicate<Person> { -$0.score < 0 }, becomes: #"_osd_calculate(1, 9, -0.0, "score") < ?1 AND ?1 < ''"#)
    try world.check(
      #Predicate<Person> { -$0.price < 0 }, becomes: #"_osd_calculate(1, 10, '0', "price") COLLATE DECIMAL < ?1"#)
    try world.check(#Predicate<Person> { -$0.small > -30 }, becomes: #"_osd_calculate(1, 0, 0, "small") > ?1"#)
  }
}
