import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.SequenceStartsWith")
struct SequenceStartsWithNodeTests {
  @Test("a text starts with the characters of another", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let (prefix, accented) = ("Cle", "Cl\u{E9}")
    try world.check(
      #Predicate<Person> { $0.name.starts(with: prefix) },
      becomes: #""name" >= ?1 AND "name" < ?2 AND _osd_starts("name", ?1)"#)
    try world.check(
      #Predicate<Person> { $0.name.starts(with: accented) },
      becomes: #""name" >= ?1 AND "name" < ?2 AND _osd_starts("name", ?1)"#)
    try world.check(
      #Predicate<Person> { $0.nickname?.starts(with: "Nick") == true },
      becomes: #""nickname" >= ?1 AND "nickname" < ?2 AND _osd_starts("nickname", ?1)"#)
    try world.check(
      #Predicate<Person> { $0.name.starts(with: $0.nickname ?? "A") },
      becomes: #"_osd_starts("name", coalesce("nickname", ?1))"#)
    try world.check(
      #Predicate<Person> { $0.tags.starts(with: ["red"]) }, becomes: #""#,
      inMemory: "a search for a Array<String> in a Array<String>")
  }
}
