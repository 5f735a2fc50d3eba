import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.SequenceContainsWhere")
struct SequenceContainsWhereNodeTests {
  @Test("at least one element of a sequence satisfies a condition", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let names = ["A", "C"]
    let (none, nils): ([Int], [Int?]) = ([], [nil])
    try world.check(
      #Predicate<Team> { $0.members.contains { $0.age > 0 } },
      becomes: #"EXISTS (SELECT 1 FROM "Person" AS t1 WHERE t1."team" = "Team"."_osd_key" AND (t1."age" > ?1))"#)
    try world.check(
      #Predicate<Person> { $0.projects.contains { $0.title == "Road" } },
      becomes:
        #"EXISTS (SELECT 1 FROM "_osd_link_Person_projects" AS l1 JOIN "Project" AS t1 ON t1."_osd_key" = l1."target" WHERE l1."owner" = "Person"."_osd_key" AND (t1."title" = ?1))"#
    )
    try world.check(
      #Predicate<Person> { $0.tags.contains { $0.isEmpty } },
      becomes:
        #"EXISTS (SELECT 1 FROM _osd_list(_osd_elements(4, "Person"."tags")) AS t1 WHERE t1.value = ?1)"#
    )
    try world.check(
      #Predicate<Person> { $0.marks.contains { $0 > 4 } },
      becomes: #"EXISTS (SELECT 1 FROM _osd_list(_osd_elements(0, "Person"."marks")) AS t1 WHERE t1.value > ?1)"#)
    try world.check(
      #Predicate<Person> { person in names.contains { person.name.starts(with: $0) } },
      becomes: #"EXISTS (SELECT 1 FROM _osd_list(?1) AS t1 WHERE _osd_starts("Person"."name", t1.value))"#)
    // The list has the type of its elements, because some databases require it.
    try world.check(
      #Predicate<Person> { person in none.contains { $0 >= person.age } },
      becomes: #"EXISTS (SELECT 1 FROM _osd_list(?1) AS t1 WHERE t1.value >= "Person"."age")"#)
    try world.check(
      #Predicate<Person> { person in nils.contains { ($0 ?? person.age) > 1 } },
      becomes: #"EXISTS (SELECT 1 FROM _osd_list(?2) AS t1 WHERE coalesce(t1.value, "Person"."age") > ?1)"#)
  }
}
