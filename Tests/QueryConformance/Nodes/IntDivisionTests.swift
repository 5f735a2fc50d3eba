import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.IntDivision")
struct IntDivisionNodeTests {
  @Test("a quotient is an integer, and a division by zero is unknown", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let three = 3
    try world.check(#Predicate<Person> { $0.age / three == -1 }, becomes: #"_osd_calculate(3, 3, "age", ?1) = ?2"#)
    try world.check(#Predicate<Person> { $0.big / 2 > 3 }, becomes: #"_osd_calculate(3, 7, "big", ?1) > ?2"#)
  }
}
