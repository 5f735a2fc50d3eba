import ConformanceSupport
import SwiftData
import Testing

/// Random predicates over decimals and whole numbers without a sign that have R-trees, while rows change.
///
/// The run is longer by the factor in `OSD_SOAK`, and the same again with the seed in `OSD_SEED`.
@Suite("Predicates over decimals and unsigned numbers, by fetches and in memory")
struct ParcelDifferentialTests {
  @Test("find the same, while rows change", arguments: Engine.allCases)
  func agree(_ engine: Engine) throws {
    let seed = RandomTesting.seed
    var random = RandomParcels(SeededGenerator(seed: seed))
    let store = try TestStore(engine, [Parcel.self])
    let context = store.context()
    for _ in 0..<60 { context.insert(random.parcel()) }
    try context.save()
    for step in 0..<(40 * RandomTesting.soak) {
      try random.change(context)
      let parcels = try context.fetch(FetchDescriptor<Parcel>())
      for _ in 0..<4 {
        let predicate = random.predicate()
        let wanted = try parcels.filter { try predicate.evaluate($0) }.map(\.persistentModelID)
        let found = try store.context().fetchIdentifiers(FetchDescriptor(predicate: predicate))
        #expect(found == wanted, "seed \(seed), step \(step): \(predicate)")
        guard found == wanted else { return }
      }
    }
    guard engine == .file else { return }
    #expect(try store.raw.parcelFaults() == [], "seed \(seed)")
  }
}

private struct RandomParcels {
  var generator: SeededGenerator

  init(_ generator: SeededGenerator) { self.generator = generator }

  mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }

  mutating func price() -> Decimal {
    if chance(3), let extreme = Parcel.prices.randomElement(using: &generator) { return extreme }
    return Decimal(Int.random(in: -40...40, using: &generator)) / 10
  }

  mutating func size() -> UInt64 {
    if chance(2), let extreme = Parcel.sizes.randomElement(using: &generator) { return extreme }
    return chance(2) ? UInt64.random(in: 0...9, using: &generator) : UInt64.random(in: 0 ... .max, using: &generator)
  }

  mutating func parcel() -> Parcel {
    let parcel = Parcel(price(), size(), weight: chance(3) ? nil : UInt(size()), serial: size())
    parcel.extent = Extent(width: price(), area: chance(3) ? nil : size())
    return parcel
  }

  /// Inserts, moves or deletes some rows, and saves.
  mutating func change(_ context: ModelContext) throws {
    for parcel in try context.fetch(FetchDescriptor<Parcel>()) where chance(10) {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: context.delete(parcel)
      case 1: parcel.price = price()
      case 2: parcel.size = size()
      case 3: parcel.weight = chance(3) ? nil : UInt(size())
      case 4: parcel.serial.rawValue = size()
      default: parcel.extent = Extent(width: price(), area: chance(3) ? nil : size())
      }
    }
    for _ in 0..<Int.random(in: 0...3, using: &generator) { context.insert(parcel()) }
    try context.save()
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
