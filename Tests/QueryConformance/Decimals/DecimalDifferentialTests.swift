import ConformanceSupport
import SeededNumbers
import SwiftData
import Testing

/// Compares decimals in SQLite with Foundation's results: in comparisons, ranges, lists and sorts, with and without an
/// index. The decimals have up to 38 digits and both signs, and many of them convert to the same floating-point number.
///
/// `OSD_SOAK` multiplies the length of the run, and `OSD_SEED` repeats a run with the same seed.
@Suite("Random decimals", .serialized)
struct DecimalDifferentialTests {
  private typealias Test = (name: String, predicate: Predicate<Sale>, holds: (Decimal) -> Bool)

  @Test("SQLite compares and sorts decimals as Foundation does, with and without an index", arguments: Engine.sqlite)
  func agreement(_ engine: Engine) throws {
    for seed in RandomTesting.seeds(RandomTesting.soak) {
      print("decimals: seed \(seed)")
      var random = RandomDecimals(generator: SeededGenerator(seed: seed))
      let values = try random.next(count: 150)
      let store = try TestStore(engine, [Sale.self, Bargain.self])
      try fill(store.context(), values)
      try compare(values, in: store.context(), &random.generator, seed)
      try sort(values, in: store.context(), seed)
      RandomTesting.note("decimals in a store", values.count)
    }
  }

  private func fill(_ context: ModelContext, _ values: [Decimal]) throws {
    for (number, value) in values.enumerated() {
      let discount = number % 5 == 0 ? nil : value
      context.insert(
        number % 3 == 0
          ? Bargain(value, discount: discount, number: number) : Sale(value, discount: discount, number: number))
    }
    try context.save()
  }

  // MARK: Comparisons

  private func compare(
    _ values: [Decimal], in context: ModelContext, _ generator: inout SeededGenerator, _ seed: UInt64
  ) throws {
    for _ in 0..<12 {
      let low = values.randomElement(using: &generator) ?? 0
      let high = values.randomElement(using: &generator) ?? 0
      for test in tests(low, high) + tests(inList: [low, high, low + 1]) {
        let found = try context.fetch(FetchDescriptor(predicate: test.predicate)).map(\.price)
        let wanted = values.filter(test.holds)
        #expect(found.sorted() == wanted.sorted(), "\(test.name) with \(low), \(high); seed \(seed)")
      }
      let optional = #Predicate<Sale> { $0.discount.flatMap { $0 > low } ?? false }
      let member = #Predicate<Sale> { $0.portion.net.flatMap { $0 > low } ?? false }
      let wanted = values.enumerated().filter { $0.offset % 5 != 0 && $0.element > low }.map(\.element).sorted()
      for predicate in [optional, member] {
        let found = try context.fetch(FetchDescriptor(predicate: predicate))
        #expect(found.map(\.price).sorted() == wanted, "above \(low); seed \(seed)")
      }
      let bargains = try context.fetch(
        FetchDescriptor<Bargain>(predicate: #Predicate { $0.rebate <= low && $0.price <= low }))
      let rest = values.enumerated().filter { $0.offset % 3 == 0 && $0.element <= low }.map(\.element).sorted()
      #expect(bargains.map(\.price).sorted() == rest, "bargains up to \(low); seed \(seed)")
    }
  }

  private func tests(_ low: Decimal, _ high: Decimal) -> [Test] {
    [
      ("<", #Predicate { $0.price < low }, { $0 < low }), ("< plain", #Predicate { $0.cost < low }, { $0 < low }),
      ("<=", #Predicate { $0.price <= low }, { $0 <= low }), ("<= plain", #Predicate { $0.cost <= low }, { $0 <= low }),
      (">", #Predicate { low < $0.price }, { $0 > low }), ("> plain", #Predicate { low < $0.cost }, { $0 > low }),
      (">=", #Predicate { $0.price >= low }, { $0 >= low }), (">= plain", #Predicate { $0.cost >= low }, { $0 >= low }),
      ("==", #Predicate { $0.price == low }, { $0 == low }), ("== plain", #Predicate { $0.cost == low }, { $0 == low }),
      ("!=", #Predicate { $0.price != low }, { $0 != low }), ("!= plain", #Predicate { $0.cost != low }, { $0 != low }),
      ("range", #Predicate { $0.price >= low && $0.price < high }, { $0 >= low && $0 < high }),
      ("range plain", #Predicate { $0.cost >= low && $0.cost < high }, { $0 >= low && $0 < high }),
    ]
  }

  private func tests(inList list: [Decimal]) -> [Test] {
    [
      ("list", #Predicate { list.contains($0.price) }, list.contains),
      ("list plain", #Predicate { list.contains($0.cost) }, list.contains),
    ]
  }

  // MARK: Orders

  private func sort(_ values: [Decimal], in context: ModelContext, _ seed: UInt64) throws {
    let wanted = values.sorted()
    let orders: [(String, SortDescriptor<Sale>, [Decimal])] = [
      ("price", SortDescriptor(\.price), wanted), ("cost", SortDescriptor(\.cost), wanted),
      ("price, reversed", SortDescriptor(\.price, order: .reverse), wanted.reversed()),
      ("cost, reversed", SortDescriptor(\.cost, order: .reverse), wanted.reversed()),
    ]
    for (name, order, wanted) in orders {
      let found = try context.fetch(FetchDescriptor(sortBy: [order])).map(\.price)
      #expect(found == wanted, "by \(name); seed \(seed)")
    }
    let sorts = [SortDescriptor(\Sale.count), SortDescriptor(\Sale.discount)]
    let found = try context.fetch(FetchDescriptor(sortBy: sorts))
    let pairs = zip(found, found.dropFirst())
    #expect(found.count == values.count)
    #expect(pairs.allSatisfy { isInOrder($0, $1) }, "by count and discount, nil first; seed \(seed)")
  }

  private func isInOrder(_ first: Sale, _ second: Sale) -> Bool {
    guard first.count == second.count else { return first.count < second.count }
    guard let left = first.discount else { return true }
    return second.discount.map { left <= $0 } ?? false
  }
}
