import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.StringCaseInsensitiveCompare")
struct StringCaseInsensitiveCompareNodeTests {
  @Test("texts are compared regardless of case", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let same = ComparisonResult.orderedSame
    try world.check(
      #Predicate<Person> { $0.name.caseInsensitiveCompare("ADA") == same },
      becomes: #"_osd_compare(0, "name", ?1) = ?2"#)
    try world.check(
      #Predicate<Person> { $0.name.caseInsensitiveCompare($0.nickname ?? "bob") == same },
      becomes: #"_osd_compare(0, "name", coalesce("nickname", ?1)) = ?2"#)
  }
}
