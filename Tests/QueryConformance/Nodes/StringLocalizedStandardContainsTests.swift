import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.StringLocalizedStandardContains")
struct StringLocalizedStandardContainsNodeTests {
  @Test("texts are searched by locale", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    try world.check(
      #Predicate<Person> { $0.name.localizedStandardContains("DA") }, becomes: #"_osd_contains_localized("name", ?1)"#)
    try world.check(
      #Predicate<Person> { $0.nickname?.localizedStandardContains("NICK") == true },
      becomes: #"_osd_contains_localized("nickname", ?1)"#)
  }
}
