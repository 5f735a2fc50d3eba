import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.NilLiteral")
struct NilLiteralNodeTests {
  @Test("nil equals nil only", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Person> { $0.nickname == nil }, becomes: #""nickname" IS NULL"#)
    try world.check(#Predicate<Person> { $0.team != nil }, becomes: #""team" IS NOT NULL"#)
    try world.check(#Predicate<Person> { $0.former == nil }, becomes: #""former_city" IS NULL"#)
    try world.check(
      #Predicate<Person> { $0.boss?.nickname == nil },
      becomes: #"LEFT JOIN "Person" AS t1 ON t1."_osd_key" = "Person"."boss" WHERE t1."nickname" IS NULL"#)
  }
}
