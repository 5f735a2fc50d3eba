import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.IntRemainder")
struct IntRemainderNodeTests {
  @Test("a remainder has the sign of the dividend", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let three = 3
    try world.check(#Predicate<Person> { $0.age % three == -1 }, becomes: #"_osd_calculate(4, 3, "age", ?1) = ?2"#)
    try world.check(#Predicate<Person> { $0.small % 5 == 2 }, becomes: #"_osd_calculate(4, 0, "small", ?1) = ?2"#)
  }
}
