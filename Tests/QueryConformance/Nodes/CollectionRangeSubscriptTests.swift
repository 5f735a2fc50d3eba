import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.CollectionRangeSubscript")
struct CollectionRangeSubscriptNodeTests {
  @Test("a slice of a collection is evaluated in memory", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let range = 0..<2
    try world.check(
      #Predicate<Person> { $0.age > -8 && $0.tags[range].contains("red") }, becomes: #""age" > ?1"#,
      inMemory: "the elements of a ArraySlice<String>")
  }
}
