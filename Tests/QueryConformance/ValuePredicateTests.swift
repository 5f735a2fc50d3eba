import ConformanceSupport
import SwiftData
import Testing

@Suite("Predicates on values")
struct ValuePredicateTests {
  @Test("arithmetic has Swift's semantics", arguments: Engine.allCases)
  func arithmetic(_ engine: Engine) throws {
    let world = try World(engine)
    let two = 2
    try world.check(#Predicate<Person> { $0.age * two + 1 == 9 }, matches: 1)
    try world.check(#Predicate<Person> { $0.age / 3 == -1 }, matches: 1)
    try world.check(#Predicate<Person> { $0.age % 3 == -1 }, matches: 1)
    try world.check(#Predicate<Person> { -$0.age == 10 }, matches: 1)
    try world.check(#Predicate<Person> { $0.score / 2 > 0.5 })
    try world.check(#Predicate<Person> { $0.score * 0 == 0 })
    try world.check(#Predicate<Person> { $0.score - $0.score == 0 })
    try world.check(#Predicate<Person> { -$0.score < 0 })
    try world.check(#Predicate<Person> { $0.score + 1 != 1 })
    try world.check(#Predicate<Person> { ($0.rating ?? 0) + $0.score > 1 })
    try world.check(#Predicate<Person> { $0.ratio * 3 > 0.9 })
    try world.check(#Predicate<Person> { $0.ratio + 0.1 == 0.3 })
    try world.check(#Predicate<Person> { $0.price + $0.price == 1 }, matches: 1)
    try world.check(#Predicate<Person> { $0.price * $0.price > 1 })
    try world.check(#Predicate<Person> { -$0.price < 0 })
    try world.check(#Predicate<Person> { $0.big / 2 > 3 })
    try world.check(#Predicate<Person> { $0.big - $0.big == 0 }, matches: 9)
  }

  @Test("numbers of every kind are compared", arguments: Engine.allCases)
  func numbers(_ engine: Engine) throws {
    let world = try World(engine)
    let (undefined, infinity, large) = (Double.nan, Double.infinity, UInt64.max - 3)
    let price = Decimal(string: "0.50") ?? 0
    try world.check(#Predicate<Person> { $0.score == undefined }, matches: 0)
    try world.check(#Predicate<Person> { $0.score != undefined }, matches: 9)
    try world.check(#Predicate<Person> { $0.score < undefined }, matches: 0)
    try world.check(#Predicate<Person> { $0.score == $0.score }, matches: 8)
    try world.check(#Predicate<Person> { $0.score == infinity }, matches: 1)
    try world.check(#Predicate<Person> { $0.score == 0 }, matches: 2)
    try world.check(#Predicate<Person> { $0.rating == undefined }, matches: 0)
    try world.check(#Predicate<Person> { $0.big >= large }, matches: 2)
    try world.check(#Predicate<Person> { $0.price == price }, matches: 1)
    try world.check(#Predicate<Person> { $0.small > 50 })
    try world.check(#Predicate<Person> { ($0.rating ?? undefined) > 1 })
    try world.check(#Predicate<Person> { $0.boss.flatMap { undefined >= $0.score } ?? true })
    try world.check(#Predicate<Person> { $0.boss.flatMap { $0.score < undefined } ?? true })
  }

  @Test("elements of collections in a column can be queried", arguments: Engine.allCases)
  func collections(_ engine: Engine) throws {
    let world = try World(engine)
    let (tag, mark) = ("gr\u{FC}n", Int.max)
    try world.check(#Predicate<Person> { $0.tags.contains("red") })
    try world.check(#Predicate<Person> { $0.tags.contains(tag) })
    try world.check(#Predicate<Person> { $0.tags.contains("quote\"d") })
    try world.check(#Predicate<Person> { $0.tags.isEmpty })
    try world.check(#Predicate<Person> { !$0.tags.isEmpty })
    try world.check(#Predicate<Person> { $0.tags.count > 2 })
    try world.check(#Predicate<Person> { $0.tags.contains { $0.isEmpty } })
    try world.check(#Predicate<Person> { person in person.tags.contains { $0 == person.name } })
    try world.check(#Predicate<Person> { $0.tags.allSatisfy { $0.count == 3 } })
    try world.check(#Predicate<Person> { $0.tags.filter { $0.starts(with: "gr") }.count == 2 })
    try world.check(#Predicate<Person> { $0.tags.first == "red" })
    try world.check(#Predicate<Person> { $0.tags.first == nil })
    try world.check(#Predicate<Person> { $0.tags[1] == tag })
    try world.check(#Predicate<Person> { $0.marks.contains(mark) })
    try world.check(#Predicate<Person> { $0.marks.max() == mark })
    try world.check(#Predicate<Person> { ($0.marks.min() ?? 0) < 0 })
    try world.check(#Predicate<Person> { $0.marks.min() == nil })
    try world.check(#Predicate<Person> { $0.weights.contains(0.1) })
    try world.check(#Predicate<Person> { $0.weights.contains(0) })
    try world.check(#Predicate<Person> { $0.weights.contains { $0 > 1e20 } })
    try world.check(#Predicate<Person> { $0.aliases?.contains("x") == true })
    try world.check(#Predicate<Person> { $0.aliases == nil }, matches: 3)
    try world.check(#Predicate<Person> { ($0.aliases?.count ?? 5) > 1 })
    try world.check(#Predicate<Person> { $0.boss?.tags.contains("red") ?? false })
    try world.check(#Predicate<Team> { $0.members.contains { $0.tags.contains("red") } })
  }

  @Test("values of dictionaries can be queried", arguments: Engine.allCases)
  func dictionaries(_ engine: Engine) throws {
    let world = try World(engine)
    let ages = ["Ada": -10, "Bob": 5, "Cl\u{E9}o": 11]
    let none = ["Ada": Int?.none, "Bob": 4]
    try world.check(#Predicate<Person> { $0.notes["a"] == 2 }, matches: 1)
    try world.check(#Predicate<Person> { $0.notes["b\""] == nil })
    try world.check(#Predicate<Person> { $0.notes["a", default: 7] > 3 })
    try world.check(#Predicate<Person> { (ages[$0.name] ?? 99) == $0.age })
    try world.check(#Predicate<Person> { ages[$0.name, default: 0] == 0 })
    try world.check(#Predicate<Person> { (ages["Bob"] ?? 0) == $0.age }, matches: 0)
    _ = none
  }

  @Test("elements of captured collections can be queried", arguments: Engine.allCases)
  func captured(_ engine: Engine) throws {
    let world = try World(engine)
    let (names, numbers, levels) = (["Ada", "Cl\u{E9}o", "K"], [-10, 4, 300], [Level.low, .high])
    let many = Array(0..<20_000)
    let ranks: [Rank?] = [nil, .first]
    try world.check(#Predicate<Person> { names.contains($0.name) }, matches: 3)
    try world.check(#Predicate<Person> { person in names.contains { person.name.contains($0) } })
    try world.check(#Predicate<Person> { person in names.allSatisfy { $0 != person.name } })
    try world.check(#Predicate<Person> { person in numbers.filter { $0 < person.age }.count == 1 })
    try world.check(#Predicate<Person> { person in numbers.contains { $0 == person.age } }, matches: 2)
    try world.check(#Predicate<Person> { levels.contains($0.level) }, matches: 6)
    try world.check(#Predicate<Person> { many.contains($0.age) })
    try world.check(#Predicate<Person> { $0.age > (numbers.max() ?? 0) }, matches: 0)
    try world.check(#Predicate<Person> { $0.age > numbers[1] })
    try world.check(#Predicate<Person> { names.count == 3 && $0.age > 3 })
    try world.check(#Predicate<Person> { names.isEmpty || $0.age > 3 })
    try world.check(#Predicate<Person> { ranks.contains($0.rank) })
    try world.check(#Predicate<Person> { (1...20).contains($0.age) })
    try world.check(#Predicate<Person> { (numbers[0]..<$0.address.zip).contains($0.age) })
  }

  @Test("enums and Codable values are compared in their stored form", arguments: Engine.allCases)
  func codable(_ engine: Engine) throws {
    let world = try World(engine)
    let (high, rank, mail) = (Level.high, Rank.second, Contact.mail("Ada"))
    let (bonn, none) = (Address(city: "Bonn", zip: 2), Address?.none)
    let tags = ["red", "gr\u{FC}n", "gr\u{FC}n"]
    try world.check(#Predicate<Person> { $0.level == high }, matches: 3)
    try world.check(#Predicate<Person> { $0.level.rawValue == "low" }, matches: 3)
    try world.check(#Predicate<Person> { $0.rank == rank })
    try world.check(#Predicate<Person> { $0.rank != rank })
    try world.check(#Predicate<Person> { $0.rank?.rawValue == 1 })
    try world.check(#Predicate<Person> { ($0.rank ?? rank) > rank })
    try world.check(#Predicate<Person> { $0.rank.flatMap { $0 >= rank } ?? false })
    try world.check(#Predicate<Person> { $0.contact == mail }, matches: 1)
    try world.check(#Predicate<Person> { $0.address == bonn }, matches: 1)
    try world.check(#Predicate<Person> { $0.former == none }, matches: 6)
    try world.check(#Predicate<Person> { $0.former?.city == "Ulm" }, matches: 3)
    try world.check(#Predicate<Person> { $0.tags == tags })
  }

  @Test("data, UUIDs, URLs and dates are compared", arguments: Engine.allCases)
  func others(_ engine: Engine) throws {
    let world = try World(engine)
    let token = UUID(uuid: (3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    let (link, data) = (URL(string: "https://example.org/2"), Data([2, 2]))
    let date = Date(timeIntervalSinceReferenceDate: 3000)
    try world.check(#Predicate<Person> { $0.token == token }, matches: 1)
    try world.check(#Predicate<Person> { $0.token < token }, matches: 3)
    try world.check(#Predicate<Person> { $0.link == link }, matches: 1)
    try world.check(#Predicate<Person> { $0.link == nil }, matches: 4)
    try world.check(#Predicate<Person> { $0.blob == data }, matches: 1)
    try world.check(#Predicate<Person> { $0.blob.count > 5 })
    try world.check(#Predicate<Person> { $0.blob.isEmpty }, matches: 1)
    try world.check(#Predicate<Person> { $0.born < date }, matches: 3)
    try world.check(#Predicate<Person> { $0.born.timeIntervalSinceReferenceDate / 2 == 1500 }, matches: 1)
  }
}
