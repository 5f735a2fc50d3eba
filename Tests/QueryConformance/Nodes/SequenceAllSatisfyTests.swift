import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.SequenceAllSatisfy")
struct SequenceAllSatisfyNodeTests {
  @Test("all elements of a sequence satisfy a condition", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(
      #Predicate<Team> { $0.members.allSatisfy { $0.age < 5 } },
      becomes:
        #"NOT (EXISTS (SELECT 1 FROM "Person" AS t1 WHERE t1."team" = "Team"."_osd_key" AND (NOT (t1."age" < ?1))))"#)
    try world.check(
      #Predicate<Person> { $0.tags.allSatisfy { $0.count == 3 } },
      becomes:
        #"NOT (EXISTS (SELECT 1 FROM _osd_list(_osd_elements(4, "Person"."tags")) AS t1 WHERE NOT (_osd_count(t1.value) = ?1)))"#
    )
    try world.check(
      #Predicate<Person> { $0.pets.allSatisfy { $0 is Dog } },
      becomes:
        #"NOT (EXISTS (SELECT 1 FROM "Animal" AS t1 WHERE t1."keeper" = "Person"."_osd_key" AND (NOT (t1."_osd_entity" = 'Dog'))))"#
    )
  }
}
