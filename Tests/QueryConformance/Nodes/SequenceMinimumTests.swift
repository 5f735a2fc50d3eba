import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.SequenceMinimum")
struct SequenceMinimumNodeTests {
  @Test("the minimum of an empty collection is nil", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let numbers = [4, 11]
    try world.check(
      #Predicate<Person> { $0.marks.min() == nil },
      becomes: #"(SELECT min(t1.value) FROM _osd_list(_osd_elements(0, "Person"."marks")) AS t1) IS NULL"#)
    try world.check(
      #Predicate<Person> { ($0.tags.min() ?? "-") == "" },
      becomes:
        #"coalesce((SELECT min(t1.value) FROM _osd_list(_osd_elements(4, "Person"."tags")) AS t1), ?1) = ?2"#
    )
    try world.check(#Predicate<Person> { $0.age == numbers.min() ?? 0 }, becomes: #""age" = ?1"#)
  }
}
