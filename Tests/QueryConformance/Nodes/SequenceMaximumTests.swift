import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.SequenceMaximum")
struct SequenceMaximumNodeTests {
  @Test("the maximum of an empty collection is nil", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let numbers = [3, 11]
    try world.check(
      #Predicate<Person> { $0.marks.max() == 5 },
      becomes: #"(SELECT max(t1.value) FROM _osd_list(_osd_elements(0, "Person"."marks")) AS t1) = ?1"#)
    try world.check(
      #Predicate<Person> { ($0.tags.max() ?? "") > "r" },
      becomes:
        #"coalesce((SELECT max(t1.value) FROM _osd_list(_osd_elements(4, "Person"."tags")) AS t1), ?1) > ?2"#
    )
    try world.check(#Predicate<Person> { $0.age == numbers.max() ?? 0 }, becomes: #""age" = ?1"#)
    try world.check(
      #Predicate<Person> { $0.weights.max() == 0.1 }, becomes: #""#,
      inMemory: "the least or greatest element of a Array<Double>")
  }
}
