import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.CollectionContainsCollection")
struct CollectionContainsCollectionNodeTests {
  @Test("a text contains the characters of another", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let part = "e\u{301}"
    try world.check(#Predicate<Person> { $0.name.contains("d") }, becomes: #"_osd_contains("name", ?1)"#)
    try world.check(#Predicate<Person> { $0.name.contains(part) }, becomes: #"_osd_contains("name", ?1)"#)
    try world.check(
      #Predicate<Person> { $0.nickname?.contains("ick") == true }, becomes: #"_osd_contains("nickname", ?1)"#)
    try world.check(
      #Predicate<Person> { $0.name.contains($0.nickname ?? "-") },
      becomes: #"_osd_contains("name", coalesce("nickname", ?1))"#)
    try world.check(
      #Predicate<Person> { $0.tags.contains(["red"]) }, becomes: #""#,
      inMemory: "a search for a Array<String> in a Array<String>")
  }
}
