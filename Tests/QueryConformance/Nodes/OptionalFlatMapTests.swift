import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.OptionalFlatMap")
struct OptionalFlatMapNodeTests {
  @Test("the result is nil if the value is nil", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(#Predicate<Person> { $0.nickname?.count == 4 }, becomes: #"_osd_count("nickname") = ?1"#)
    try world.check(
      #Predicate<Person> { $0.nickname.flatMap { $0 == "nick" } ?? true },
      becomes:
        #"coalesce(CASE WHEN "nickname" IS NOT NULL THEN (("nickname" = ?1) IS TRUE) ELSE NULL END, 1) = 1"#
    )
    try world.check(
      #Predicate<Person> { $0.team?.lead?.name == "Ada" },
      becomes:
        #"LEFT JOIN "Team" AS t1 ON t1."_osd_key" = "Person"."team" LEFT JOIN "Person" AS t2 ON t2."_osd_key" = t1."lead" WHERE t2."name" = ?1"#
    )
    try world.check(
      #Predicate<Person> { if let nickname = $0.nickname { nickname == "nick" } else { $0.isActive } },
      becomes:
        #"coalesce(CASE WHEN "nickname" IS NOT NULL THEN (("nickname" = ?1) IS TRUE) ELSE NULL END, "isActive") = 1"#
    )
    try world.check(
      #Predicate<Team> { $0.projects?.isEmpty == true },
      becomes: #"NOT (EXISTS (SELECT 1 FROM "Project" AS t1 WHERE t1."owner" = "Team"."_osd_key"))"#)
  }
}
