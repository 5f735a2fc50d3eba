import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.Filter")
struct FilterNodeTests {
  @Test("a filtered collection can be queried", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(
      #Predicate<Person> { $0.tags.filter { $0.starts(with: "gr") }.count == 2 },
      becomes:
        #"(SELECT count(*) FROM _osd_list(_osd_elements(4, "Person"."tags")) AS t1 WHERE t1.value >= ?1 AND t1.value < ?2 AND _osd_starts(t1.value, ?1)) = ?3"#
    )
    try world.check(
      #Predicate<Team> { $0.members.filter { $0.age > 0 }.isEmpty },
      becomes: #"NOT (EXISTS (SELECT 1 FROM "Person" AS t1 WHERE t1."team" = "Team"."_osd_key" AND (t1."age" > ?1)))"#)
    try world.check(
      #Predicate<Person> { $0.tags.filter { $0 == "red" } == ["red"] }, becomes: #""#,
      inMemory: "a filtered collection (filter) that is compared as a whole")
  }
}
