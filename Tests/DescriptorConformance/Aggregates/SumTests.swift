import OpenSwiftData
import Testing

@Suite("Sums", .serialized)
struct SumTests {
  private func store(_ engine: Engine, _ texts: [Text]) throws -> TestStore {
    let store = try TestStore(engine)
    let context = store.context()
    texts.forEach(context.insert)
    try context.save()
    return store
  }

  @Test("a sum that overflows its type throws, saved or not", arguments: Engine.allCases)
  func overflow(_ engine: Engine) throws {
    let store = try store(engine, [Text("a", pages: .max), Text("b", pages: 1)])
    let context = store.context()
    #expect(throws: SwiftDataError.valueNotStorable) { try context.sum(of: \Text.pages) }
    #expect(try context.average(of: \Text.pages) == Double(1 << 62))
    context.insert(Text("c", pages: -2))
    #expect(try context.sum(of: \Text.pages) == .max - 1)
    try context.save()
    #expect(try store.context().sum(of: \Text.pages) == .max - 1, "whatever comes first")
    let other = store.context()
    other.insert(Text("d", pages: .max))
    #expect(throws: SwiftDataError.valueNotStorable) { try other.sum(of: \Text.pages) }
  }

  @Test("unsigned numbers are added over their whole range", arguments: Engine.allCases)
  func unsigned(_ engine: Engine) throws {
    let store = try store(engine, [Text("a", large: 1 << 63), Text("b", large: (1 << 63) - 1), Text("c")])
    #expect(try store.context().sum(of: \Text.large) == .max)
    #expect(try store.context().max(of: \Text.large) == 1 << 63)
  }

  @Test("decimals are added exactly, or the sum throws", arguments: Engine.allCases)
  func decimals(_ engine: Engine) throws {
    let cents = (1...1_000).map { Text("\($0)", price: Decimal(string: "0.01")!) }
    let store = try store(engine, cents + [Text("large", price: Decimal(string: "12345678901234567890.5")!)])
    let context = store.context()
    let exact = try #require(Decimal(string: "12345678901234567900.5"))
    #expect(try context.sum(of: \Text.price) == exact)
    context.insert(Text("new", price: Decimal(string: "0.25")!))
    #expect(try context.sum(of: \Text.price) == exact + Decimal(string: "0.25")!)
    context.insert(Text("too many digits", price: Decimal(string: "1e-25")!))
    #expect(throws: SwiftDataError.valueNotStorable) { try context.sum(of: \Text.price) }
    try context.save()
    #expect(throws: SwiftDataError.valueNotStorable) { try store.context().sum(of: \Text.price) }
  }

  @Test("floating-point sums propagate not-a-number and infinity, and are accurate", arguments: Engine.allCases)
  func reals(_ engine: Engine) throws {
    let tiny = (0..<1_000).map { Text("\($0)", rating: 1e-3) }
    let store = try store(engine, [Text("a", rating: 1e16)] + tiny + [Text("b", rating: -1e16)])
    let context = store.context()
    let sum = try context.sum(of: \Text.rating)
    #expect(engine.has(.accurateSums) ? abs(sum - 1) < 1e-9 : abs(sum) < 10_000)
    context.insert(Text("infinite", rating: .infinity))
    #expect(try context.sum(of: \Text.rating) == .infinity)
    try context.save()
    #expect(try context.sum(of: \Text.rating) == .infinity)
    context.insert(Text("none", rating: .nan))
    #expect(try context.sum(of: \Text.rating).isNaN)
    try context.save()
    let fresh = store.context()
    #expect(try fresh.sum(of: \Text.rating).isNaN)
    #expect(try fresh.average(of: \Text.rating)?.isNaN == true)
    #expect(try fresh.max(of: \Text.rating)?.isNaN == true, "not-a-number comes last, as in an order")
    #expect(try fresh.min(of: \Text.rating) == -1e16)
  }

  @Test("not-a-number comes first among decimals, whether saved or pending", arguments: Engine.allCases)
  func undefinedDecimals(_ engine: Engine) throws {
    let store = try store(engine, [Text("none", price: .nan), Text("one", price: 1)])
    let context = store.context()
    #expect(try context.min(of: \Text.price)?.isNaN == true)
    #expect(try context.max(of: \Text.price) == 1)
    context.insert(Text("two", price: 2))
    #expect(try context.min(of: \Text.price)?.isNaN == true)
    #expect(try context.max(of: \Text.price) == 2)
  }
}
