import ConformanceSupport
import SwiftData
import Testing

/// Evaluates random predicates on decimals and unsigned integers in R-trees while rows change.
///
/// `OSD_SOAK` multiplies the length of the run, and `OSD_SEED` repeats a run with the same seed.
@Suite("Random predicates over decimals and unsigned integers, evaluated by fetches and in memory")
struct ParcelDifferentialTests {
  @Test("fetches find the same models as the evaluation in memory while rows change", arguments: Engine.sqlite)
  func agree(_ engine: Engine) throws {
    let seed = RandomTesting.seed
    var random = RandomParcels(SeededGenerator(seed: seed))
    let store = try TestStore(engine, [Parcel.self])
    guard try random.agree(in: store, steps: 40, changing: 10, seed: seed) else { return }
    guard engine == .file else { return }
    #expect(try store.raw.parcelFaults() == [], "seed \(seed)")
  }
}

private struct RandomParcels: RandomRows {
  var generator: SeededGenerator

  init(_ generator: SeededGenerator) { self.generator = generator }

  mutating func price() -> Decimal {
    if chance(3), let extreme = Parcel.prices.randomElement(using: &generator) { return extreme }
    return Decimal(Int.random(in: -40...40, using: &generator)) / 10
  }

  mutating func size() -> UInt64 {
    if chance(2), let extreme = Parcel.sizes.randomElement(using: &generator) { return extreme }
    return chance(2) ? UInt64.random(in: 0...9, using: &generator) : UInt64.random(in: 0 ... .max, using: &generator)
  }

  mutating func model() -> Parcel {
    let parcel = Parcel(price(), size(), weight: chance(3) ? nil : UInt(size()), serial: size())
    parcel.extent = Extent(width: price(), area: chance(3) ? nil : size())
    return parcel
  }

  mutating func change(_ parcel: Parcel, in context: ModelContext) {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: context.delete(parcel)
    case 1: parcel.price = price()
    case 2: parcel.size = size()
    case 3: parcel.weight = chance(3) ? nil : UInt(size())
    case 4: parcel.serial.rawValue = size()
    default: parcel.extent = Extent(width: price(), area: chance(3) ? nil : size())
    }
  }

  mutating func predicate() -> Predicate<Parcel> {
    let (a, b, c, d) = (price(), price(), size(), size())
    let (light, heavy) = (UInt(min(c, d)), UInt(max(c, d)))
    let serial = Serial(rawValue: c)
    let (low, high) = (a - b, a + b)
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: return #Predicate { $0.price >= a && $0.price <= b }
    case 1: return #Predicate { $0.price > a && $0.price < b && $0.size >= c }
    case 2: return #Predicate { $0.size >= c && $0.size <= d && $0.price <= a }
    case 3: return #Predicate { $0.size == c && $0.price >= a && $0.price <= b }
    case 4: return #Predicate { $0.price == a }
    case 5: return #Predicate { $0.weight != nil && $0.weight! >= light && $0.weight! <= heavy }
    case 6: return #Predicate { (light...heavy).contains($0.weight ?? 0) }
    case 7: return #Predicate { $0.serial == serial && $0.price != a }
    case 8: return #Predicate { $0.extent.width >= a && $0.extent.width <= b && $0.extent.area != nil }
    case 9: return #Predicate { if let area = $0.extent.area { area >= c && area < d } else { false } }
    case 10: return #Predicate { ($0.size >= c && $0.size <= d) || ($0.price >= a && $0.price <= b) }
    default: return #Predicate { !($0.size >= c) && $0.price >= low && $0.price <= high }
    }
  }
}
