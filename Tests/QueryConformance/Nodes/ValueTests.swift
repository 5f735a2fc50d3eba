import ConformanceSupport
import SwiftData
import Testing

@Suite("PredicateExpressions.Value")
struct ValueNodeTests {
  @Test("a captured value is a parameter in its stored form", arguments: Engine.allCases)
  func node(_ engine: Engine) throws {
    let world = try World(engine)
    let (number, text, data) = (4, "Bob", Data([2, 2]))
    let (link, price) = (URL(string: "https://example.org/2"), Decimal(string: "0.50") ?? 0)
    let (undefined, huge) = (Double.nan, UInt64.max - 3)
    try world.check(#Predicate<Person> { $0.age == number }, becomes: #""age" = ?1"#)
    try world.check(#Predicate<Person> { $0.name == text }, becomes: #""name" = ?1"#)
    try world.check(#Predicate<Person> { $0.blob == data }, becomes: #""blob" = ?1"#)
    try world.check(#Predicate<Person> { $0.link == link }, becomes: #""link" = ?1"#)
    try world.check(#Predicate<Person> { $0.price == price }, becomes: #""price" = ?1"#)
    try world.check(#Predicate<Person> { $0.score == undefined }, becomes: #""score" = ?1"#)
    try world.check(#Predicate<Person> { $0.big >= huge }, becomes: #""big" >= ?1"#)
    try world.check(#Predicate<Person> { _ in true }, becomes: #""#)
    try world.check(#Predicate<Person> { _ in false }, becomes: #"FALSE"#)
  }
}
