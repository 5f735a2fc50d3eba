import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.KeyPath")
struct KeyPathNodeTests {
  @Test("a key path is a column of the row or of a related one", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let (date, since1970) = (3000.0, 978_307_200.0 + 2000)
    try world.check(#Predicate<Person> { $0.isActive }, becomes: #""isActive" = 1"#)
    try world.check(#Predicate<Person> { $0.address.city == "Bonn" }, becomes: #""address_city" = ?1"#)
    try world.check(
      #Predicate<Desk> { $0.user.team?.name == "Red" },
      becomes:
        #"LEFT JOIN "Person" AS t1 ON t1."_osd_key" = "Desk"."user" LEFT JOIN "Team" AS t2 ON t2."_osd_key" = t1."team" WHERE t2."name" = ?1"#
    )
    try world.check(#Predicate<Person> { $0.level.rawValue == "low" }, becomes: #""level" = ?1"#)
    try world.check(#Predicate<Person> { $0.name.count == 3 }, becomes: #"_osd_count("name") = ?1"#)
    try world.check(#Predicate<Person> { $0.name.isEmpty }, becomes: #""name" = ?1"#)
    try world.check(
      #Predicate<Person> { $0.tags.first == "red" },
      becomes: #"(SELECT value FROM _osd_list(_osd_elements(4, "tags")) WHERE rowid = ?1) = ?2"#)
    try world.check(#Predicate<Person> { $0.blob.count > 5 }, becomes: #"length("blob") > ?1"#)
    try world.check(#Predicate<Person> { $0.born.timeIntervalSinceReferenceDate == date }, becomes: #""born" = ?1"#)
    try world.check(
      #Predicate<Person> { $0.desk?.number == 7 },
      becomes:
        #"LEFT JOIN "Desk" AS t1 ON t1."_osd_key" = (SELECT max("_osd_key") FROM "Desk" AS i WHERE i."user" = "Person"."_osd_key") WHERE t1."number" = ?1"#
    )
    try world.check(
      #Predicate<Person> { $0.born.timeIntervalSince1970 > since1970 },
      becomes: #"_osd_calculate(0, 9, "born", ?1) > ?2 AND _osd_calculate(0, 9, "born", ?1) < ''"#)
    try world.check(#Predicate<Person> { $0.score.isNaN }, becomes: #""score" <> "score" OR typeof("score") = 'text'"#)
    try world.check(
      #Predicate<Person> { $0.rating?.isNaN != false },
      becomes:
        #"CASE WHEN "rating" IS NOT NULL THEN ("rating" IS NOT "rating" OR typeof("rating") = 'text') ELSE NULL END IS NOT ?1"#
    )
    try world.check(
      #Predicate<Person> { $0.notes.count == 2 },
      becomes: #"(SELECT count(*) FROM _osd_list(_osd_elements(0, "Person"."notes")) AS t1) = ?1"#)
    try world.check(
      #Predicate<Person> { $0.notes.isEmpty },
      becomes: #"NOT (EXISTS (SELECT 1 FROM _osd_list(_osd_elements(0, "Person"."notes")) AS t1))"#)
  }
}
