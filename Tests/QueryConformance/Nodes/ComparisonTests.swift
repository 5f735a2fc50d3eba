import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.Comparison")
struct ComparisonNodeTests {
  @Test("a comparison uses the order of the type", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let (text, date) = ("B", Date(timeIntervalSinceReferenceDate: 3000))
    let token = UUID(uuid: (3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    let rank = Rank.second
    try world.check(#Predicate<Person> { $0.age < 4 }, becomes: #""age" < ?1"#)
    try world.check(#Predicate<Person> { $0.age <= 4 }, becomes: #""age" <= ?1"#)
    try world.check(#Predicate<Person> { $0.age > 4 }, becomes: #""age" > ?1"#)
    try world.check(#Predicate<Person> { $0.age >= 4 }, becomes: #""age" >= ?1"#)
    try world.check(#Predicate<Person> { $0.name < text }, becomes: #""name" < ?1"#)
    try world.check(#Predicate<Person> { $0.score > 0 }, becomes: #""score" > ?1 AND "score" < ''"#)
    try world.check(#Predicate<Person> { $0.price <= 1 }, becomes: #""price" COLLATE DECIMAL <= ?1"#)
    try world.check(#Predicate<Person> { $0.born > date }, becomes: #""born" > ?1 AND "born" < ''"#)
    try world.check(#Predicate<Person> { $0.token < token }, becomes: #""token" < ?1"#)
    try world.check(
      #Predicate<Person> { ($0.rank ?? rank) > rank },
      becomes: #"coalesce("rank", ?1) IN (SELECT value FROM _osd_list(?2))"#)
  }
}
