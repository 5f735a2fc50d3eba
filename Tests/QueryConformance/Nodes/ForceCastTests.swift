import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.ForceCast")
struct ForceCastNodeTests {
  @Test("a model is cast to another type", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Animal> { ($0 as! Dog).tricks == 3 }, becomes: #""tricks" = ?1"#)
    try world.check(
      #Predicate<Animal> { $0 is Cat && ($0 as! Cat).lives == 7 }, becomes: #""_osd_entity" = 'Cat' AND "lives" = ?1"#)
  }
}
