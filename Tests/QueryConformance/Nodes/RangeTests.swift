import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.Range")
struct RangeNodeTests {
  @Test("a half-open range of values of the row excludes its end", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let low = -10
    try world.check(
      #Predicate<Person> { (low..<$0.address.zip).contains($0.age) }, becomes: #""age" >= ?1 AND "age" < "address_zip""#
    )
    try world.check(#Predicate<Person> { (low..<4).contains($0.age) }, becomes: #""age" >= ?1 AND "age" < ?2"#)
  }
}
