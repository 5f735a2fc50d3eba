import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.StringContainsRegex")
struct StringContainsRegexNodeTests {
  @Test("a text contains a match of a regular expression", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(
      #Predicate<Person> { $0.age > 0 && $0.name.contains(/^[A-C].b?/) },
      becomes: #""age" > ?1 AND _osd_contains_regex("name", ?2)"#)
    try world.check(
      #Predicate<Person> { $0.nickname?.contains(/\d$/) == true }, becomes: #"_osd_contains_regex("nickname", ?1)"#)
    try world.check(
      #Predicate<Person> { !$0.name.contains(/(?i)A/) }, becomes: #"NOT (_osd_contains_regex("name", ?1))"#)
  }
}
