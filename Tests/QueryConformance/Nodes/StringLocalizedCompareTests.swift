import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.StringLocalizedCompare")
struct StringLocalizedCompareNodeTests {
  @Test("texts are compared by locale", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let before = ComparisonResult.orderedAscending
    try world.check(
      #Predicate<Person> { $0.name.localizedCompare("Bob") == before }, becomes: #"_osd_compare(1, "name", ?1) = ?2"#)
    try world.check(
      #Predicate<Person> { $0.nickname?.localizedCompare("nick") == before },
      becomes: #"_osd_compare(1, "nickname", ?1) = ?2"#)
  }
}
