import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.TypeCheck")
struct TypeCheckNodeTests {
  @Test("a type check tests the type of a model in its hierarchy", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Animal> { $0 is Dog }, becomes: #""_osd_entity" = 'Dog'"#)
    try world.check(
      #Predicate<Dog> { $0.friend is Cat },
      becomes:
        #"LEFT JOIN "Animal" AS t1 ON t1."_osd_key" = "Animal"."friend" WHERE "Animal"."_osd_entity" = 'Dog' AND (t1."_osd_entity" = 'Cat')"#
    )
    try world.check(
      #Predicate<Person> { $0.pets.contains { $0 is Cat } },
      becomes:
        #"EXISTS (SELECT 1 FROM "Animal" AS t1 WHERE t1."keeper" = "Person"."_osd_key" AND (t1."_osd_entity" = 'Cat'))"#
    )
    try world.check(
      #Predicate<Person> { ($0.nickname as Any) is String && $0.age > 0 }, becomes: #""age" > ?1"#,
      inMemory: "a check of the type (is) of a value that is no model")
  }
}
