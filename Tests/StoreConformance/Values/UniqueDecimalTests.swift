import ConformanceSupport
import SwiftData
import Testing

@Model final class Toll {
  #Index<Toll>([\.price])
  @Attribute(.unique) var price: Decimal
  @Attribute(.unique) var weight: Double
  var name: String

  init(_ price: Decimal, _ weight: Double, _ name: String) {
    (self.price, self.weight, self.name) = (price, weight, name)
  }
}

@Suite("Unique Decimal values", .serialized)
struct UniqueDecimalTests {
  private static func number(_ text: String) throws -> Decimal { try #require(Decimal(string: text)) }

  /// Two decimals that round to the same `Double`.
  private static let close = ["12345678901234567890123456789012345678", "12345678901234567890123456789012345677"]

  private func names(_ store: TestStore) throws -> [String] {
    try store.context().fetch(FetchDescriptor<Toll>(sortBy: [SortDescriptor(\.price)])).map(\.name)
  }

  @Test(
    "rows can exchange unique decimals, including ones that round to the same Double, and sorts stay correct",
    arguments: Engine.allCases)
  func exchange(_ engine: Engine) throws {
    let store = try TestStore(engine, [Toll.self])
    let context = store.context()
    let prices = try (Self.close + Self.close.map { "-" + $0 } + ["0", "0.1", "-0.1"]).map(Self.number)
    let tolls = prices.enumerated().map { Toll($1, Double($0), "\($0)") }
    tolls.forEach(context.insert)
    try context.save()
    #expect(try names(store) == ["2", "3", "6", "4", "5", "1", "0"])
    for (toll, price) in zip(tolls, prices.reversed()) { toll.price = price }
    (tolls[0].weight, tolls[6].weight) = (6, -0.0)
    try context.save()
    #expect(try names(store) == ["4", "3", "0", "2", "1", "5", "6"])
    #expect(
      try store.context().fetch(FetchDescriptor<Toll>(sortBy: [SortDescriptor(\.weight)])).map(\.name).first == "6")
    let bound = try Self.number(Self.close[1])
    let found = FetchDescriptor<Toll>(predicate: #Predicate { $0.price >= bound }, sortBy: [SortDescriptor(\.price)])
    #expect(try store.context().fetch(found).map(\.name) == ["5", "6"])
    if engine == .file { #expect(try store.raw().problems() == []) }
  }

  @Test(
    "decimals that differ only in trailing zeros, exponent or sign of zero are one unique value",
    arguments: Engine.allCases)
  func upserts(_ engine: Engine) throws {
    let store = try TestStore(engine, [Toll.self])
    func save(_ toll: Toll) throws {
      let context = store.context()
      context.insert(toll)
      try context.save()
    }
    try save(Toll(Decimal(sign: .plus, exponent: -1, significand: 15), 1, "a"))
    try save(Toll(Decimal(sign: .plus, exponent: -3, significand: 1_500), 1, "b"))
    try save(Toll(Decimal(sign: .minus, exponent: 0, significand: 0), 0, "c"))
    try save(Toll(0, -0.0, "d"))
    try save(Toll(Decimal(sign: .plus, exponent: 3, significand: 2), 2, "e"))
    try save(Toll(2_000, 2, "f"))
    #expect(try names(store) == ["d", "b", "f"])
    let zero = try store.context().fetch(FetchDescriptor<Toll>(predicate: #Predicate { $0.weight == 0 }))
    #expect(zero.map(\.weight.sign) == [.minus])
    if engine == .file {
      #expect(try store.raw().column("SELECT price FROM Toll ORDER BY length(price)") == ["0", "1.5", "2000"])
    }
  }
}
