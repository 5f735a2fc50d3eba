import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.FloatDivision")
struct FloatDivisionNodeTests {
  @Test("a quotient is rounded to the type", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let three = 3.0
    try world.check(
      #Predicate<Person> { $0.score / three > 0.5 },
      becomes: #"_osd_calculate(3, 9, "score", ?1) > ?2 AND _osd_calculate(3, 9, "score", ?1) < ''"#)
    try world.check(
      #Predicate<Person> { $0.ratio / 3 < 0.1 }, becomes: #"_osd_calculate(3, 8, "ratio", ?1) < ?2 AND ?2 < ''"#)
  }
}
