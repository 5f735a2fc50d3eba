import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.NotEqual")
struct NotEqualNodeTests {
  @Test("unequal values differ, and nil differs from every value", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let undefined = Double.nan
    try world.check(#Predicate<Person> { $0.name != "Ada" }, becomes: #""name" <> ?1"#)
    try world.check(#Predicate<Person> { $0.nickname != "nick" }, becomes: #""nickname" IS NOT ?1"#)
    try world.check(#Predicate<Person> { $0.score != undefined }, becomes: #""score" <> ?1"#)
    try world.check(
      #Predicate<Person> { $0.rating != $0.boss?.rating },
      becomes:
        #"LEFT JOIN "Person" AS t1 ON t1."_osd_key" = "Person"."boss" WHERE "Person"."rating" IS NOT t1."rating" OR typeof("Person"."rating") = 'text'"#
    )
    try world.check(
      #Predicate<Person> { $0.boss != $0.team?.lead },
      becomes: #"LEFT JOIN "Team" AS t1 ON t1."_osd_key" = "Person"."team" WHERE "Person"."boss" IS NOT t1."lead""#)
  }
}
