import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.ConditionalCast")
struct ConditionalCastNodeTests {
  @Test("a model is cast to another type of its hierarchy, or is nil", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Animal> { ($0 as? Dog)?.tricks == 3 }, becomes: #""tricks" = ?1"#)
    try world.check(
      #Predicate<Animal> { ($0 as? Cat) != nil },
      becomes: #"CASE WHEN "_osd_entity" = 'Cat' THEN "_osd_key" ELSE NULL END IS NOT NULL"#)
    try world.check(
      #Predicate<Dog> { ($0.friend as? Cat)?.lives == 7 },
      becomes:
        #"LEFT JOIN "Animal" AS t1 ON t1."_osd_key" = "Animal"."friend" WHERE "Animal"."_osd_entity" = 'Dog' AND (t1."lives" = ?1)"#
    )
    try world.check(
      #Predicate<Person> { ($0.name as Any as? String) == "Ada" && $0.age < 0 }, becomes: #""age" < ?1"#,
      inMemory: "a conditional cast (as?) of a value that is no model")
  }
}
