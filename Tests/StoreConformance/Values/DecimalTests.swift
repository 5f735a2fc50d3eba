import SwiftData
import Testing

@Suite("Decimals round-trip exactly", .serialized)
struct DecimalTests {
  private static let texts = [
    "0", "1", "-1", "0.1", "-0.1", "3.14", "100", "1e10", "1e-10", "12345678901234567890123456789012345678",
    "-12345678901234567890123456789012345678", "0.12345678901234567890123456789012345678",
    "1234567890123456789.0123456789012345678", "99999999999999999999999999999999999999",
    "340282366920938463463374607431768211455", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "18446744073709551616", "0.00000000000000000001", "1e127", "1e-127", "1e-128", "123456789e-100",
  ]

  private var values: [Decimal] {
    get throws {
      try Self.texts.map { try #require(Decimal(string: $0), "\($0)") }
        + [.greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude, .pi]
    }
  }

  @Test("38 digits, negative exponents, extremes", arguments: Engine.allCases)
  func exact(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Numbers.decimal, try values) { $0 == $1 && $0.description == $1.description }
  }

  @Test("optional, with zero distinct from nil", arguments: Engine.allCases)
  func optional(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Numbers.optionalDecimal, [nil, 0, Decimal(string: "-0.5"), .greatestFiniteMagnitude])
  }

  @Test("in arrays", arguments: Engine.allCases)
  func arrays(_ engine: Engine) throws {
    try expectRoundTrip(engine, \Compounds.decimals, [[], try values])
  }

  @Test("not-a-number round-trips, or the save throws", arguments: Engine.allCases)
  func notANumber(_ engine: Engine) throws {
    let store = try TestStore(engine, [Numbers.self])
    let context = store.context()
    let model = Numbers(position: 0)
    model.decimal = .nan
    context.insert(model)
    do {
      try context.save()
    } catch {
      #expect(error is SwiftDataError)
      return
    }
    let found = try #require(try store.context().fetch(FetchDescriptor<Numbers>()).first)
    #expect(found.decimal.isNaN)
  }

  @Test("compare and sort as numbers", arguments: Engine.allCases)
  func order(_ engine: Engine) throws {
    let store = try TestStore(engine, [Numbers.self])
    let context = store.context()
    let texts = [
      "-12345678901234567890123456789012345678", "-10", "-9.5", "0", "0.001", "0.01", "9", "10", "10.5",
      "12345678901234567890123456789012345677", "12345678901234567890123456789012345678",
    ]
    let wanted = try texts.map { try #require(Decimal(string: $0)) }
    for (position, value) in wanted.enumerated().reversed() {
      let model = Numbers(position: position)
      model.decimal = value
      context.insert(model)
    }
    try context.save()
    let other = store.context()
    let sorted = try other.fetch(FetchDescriptor<Numbers>(sortBy: [SortDescriptor(\.decimal)])).map(\.decimal)
    #expect(sorted == wanted)
    for border in wanted {
      let below = try other.fetch(FetchDescriptor<Numbers>(predicate: #Predicate { $0.decimal < border }))
      #expect(below.map(\.decimal).sorted() == wanted.filter { $0 < border }, "below \(border)")
      let equal = try other.fetch(FetchDescriptor<Numbers>(predicate: #Predicate { $0.decimal == border }))
      #expect(equal.map(\.decimal) == [border])
    }
  }

  @Test("decimals with different exponents are equal", arguments: Engine.allCases)
  func forms(_ engine: Engine) throws {
    let store = try TestStore(engine, [Numbers.self])
    let context = store.context()
    let model = Numbers(position: 0)
    model.decimal = Decimal(sign: .plus, exponent: -2, significand: 150)
    context.insert(model)
    try context.save()
    let short = Decimal(sign: .plus, exponent: -1, significand: 15)
    #expect(model.decimal == short)
    let found = try store.context().fetch(FetchDescriptor<Numbers>(predicate: #Predicate { $0.decimal == short }))
    #expect(found.count == 1)
  }
}
