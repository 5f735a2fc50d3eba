import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.ForcedUnwrap")
struct ForcedUnwrapNodeTests {
  @Test("a forced unwrap of nil does not match", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Person> { $0.nickname! == "nick" }, becomes: #""nickname" = ?1"#)
    try world.check(
      #Predicate<Person> { $0.boss!.age < 0 },
      becomes: #"LEFT JOIN "Person" AS t1 ON t1."_osd_key" = "Person"."boss" WHERE t1."age" < ?1"#)
    try world.check(#Predicate<Person> { $0.rating! > 1 }, becomes: #""rating" > ?1 AND "rating" < ''"#)
  }
}
