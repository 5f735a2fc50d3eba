import ConformanceSupport
import SwiftData
import Testing

@Suite("Branches of a predicate that a captured value selects")
struct UnwrittenPartTests {
  @Test("a branch that the value does not select adds nothing to the query", arguments: Engine.allCases)
  func branches(_ engine: Engine) throws {
    let world = try World(engine)
    let (none, some) = ([String](), ["Ada"])
    try world.check(#Predicate<Person> { none.isEmpty ? $0.isActive : $0.age > 5 }, matches: 5)
    try world.check(#Predicate<Person> { some.isEmpty ? $0.age * 3 > 7 : $0.isActive }, matches: 5)
    try world.check(#Predicate<Person> { none.isEmpty ? $0.isActive : some.contains($0.name) }, matches: 5)
    try world.check(
      #Predicate<Person> { person in some.isEmpty ? person.tags.contains { $0 == "red" } : person.isActive })
    try world.check(#Predicate<Person> { ($0.age > 5 ? 1 : 0) == (some.isEmpty ? $0.age : 1) })
  }
}
