import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.Variable")
struct VariableNodeTests {
  @Test("a model is compared by its row", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let red = try #require(try world.context.fetch(FetchDescriptor<Team>()).first)
    let id = red.persistentModelID
    try world.check(#Predicate<Team> { $0 == red }, becomes: #""_osd_key" = ?1"#)
    try world.check(#Predicate<Team> { $0.persistentModelID == id }, becomes: #""_osd_key" = ?1"#)
    try world.check(
      #Predicate<Person> { person in person.reports.contains { $0 == person } },
      becomes:
        #"EXISTS (SELECT 1 FROM "Person" AS t1 WHERE t1."boss" = "Person"."_osd_key" AND (t1."_osd_key" = "Person"."_osd_key"))"#
    )
  }
}
