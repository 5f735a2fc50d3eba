import ConformanceSupport
import SwiftData
import Testing

@Suite("An R-tree of decimals and unsigned integers")
struct OtherNumbersTests {
  private func fill(_ context: ModelContext, _ parcels: [Parcel]) throws {
    for parcel in parcels { context.insert(parcel) }
    try context.save()
  }

  private func usesTree<T: PersistentModel>(_ predicate: Predicate<T>, _ name: String) throws -> Bool {
    let context = try TestStore(.file, [Parcel.self]).context()
    let plan = try FetchDescriptor(predicate: predicate).explain(in: context).plan.map(\.text)
    return plan.contains { $0.hasPrefix("SCAN \(name) VIRTUAL TABLE INDEX 2:") }
      && plan.contains { $0.contains("INTEGER PRIMARY KEY (rowid=?)") }
  }

  @Test("finds the integers between any two integers", arguments: Engine.allCases)
  func unsigned(_ engine: Engine) throws {
    let store = try TestStore(engine, [Parcel.self])
    try fill(store.context(), Parcel.sizes.map { Parcel(7, $0, weight: UInt($0), serial: $0) })
    let reader = store.context()
    let price: Decimal = 7
    for low in Parcel.sizes {
      for high in Parcel.sizes {
        let wanted = Parcel.sizes.filter { $0 >= low && $0 <= high }
        let (light, heavy) = (UInt(low), UInt(high))
        let bySize = #Predicate<Parcel> { $0.size >= low && $0.size <= high && $0.price == price }
        let byWeight = #Predicate<Parcel> { $0.weight != nil && $0.weight! >= light && $0.weight! <= heavy }
        let byArea = #Predicate<Parcel> { if let area = $0.extent.area { area >= low && area <= high } else { false } }
        for predicate in [bySize, byWeight, byArea] {
          #expect(try reader.fetch(FetchDescriptor(predicate: predicate)).map(\.size) == wanted, "\(low)...\(high)")
        }
      }
      let serial = Serial(rawValue: low)
      #expect(try reader.fetchCount(FetchDescriptor<Parcel>(predicate: #Predicate { $0.size == low })) == 1)
      #expect(try reader.fetchCount(FetchDescriptor<Parcel>(predicate: #Predicate { $0.serial == serial })) == 1)
    }
  }

  @Test(
    "finds the decimals between any two decimals, with not-a-number as the smallest value", arguments: Engine.allCases)
  func decimals(_ engine: Engine) throws {
    let store = try TestStore(engine, [Parcel.self])
    try fill(store.context(), Parcel.prices.map { Parcel($0, 3) })
    let reader = store.context()
    let size: UInt64 = 3
    for low in Parcel.prices {
      for high in Parcel.prices {
        let wanted = Parcel.prices.filter { $0 >= low && $0 <= high }.map { "\($0)" }
        let box = #Predicate<Parcel> { $0.price >= low && $0.price <= high && $0.size == size }
        let strip = #Predicate<Parcel> { $0.price >= low && $0.price <= high }
        let member = #Predicate<Parcel> { low <= $0.extent.width && high >= $0.extent.width }
        for predicate in [box, strip, member] {
          let found = try reader.fetch(FetchDescriptor(predicate: predicate)).map { "\($0.price)" }
          #expect(found == wanted, "\(low)...\(high)")
        }
      }
    }
  }

  @Test("serves ranges, equality, optionals, members, raw values and calculations, but no range with one bound")
  func plans() throws {
    let (cheap, dear): (Decimal, Decimal) = (1, 2)
    let (small, large): (UInt64, UInt64) = (1, .max)
    let (light, heavy): (UInt, UInt) = (1, .max)
    let serial = Serial(rawValue: .max)
    #expect(try usesTree(#Predicate<Parcel> { $0.price >= cheap && $0.price <= dear }, Parcel.tree))
    #expect(try usesTree(#Predicate<Parcel> { (cheap...dear).contains($0.price) && $0.note == "a" }, Parcel.tree))
    #expect(try usesTree(#Predicate<Parcel> { $0.price > cheap - dear && $0.price < cheap + dear }, Parcel.tree))
    #expect(try usesTree(#Predicate<Parcel> { $0.size > small && $0.size < large && $0.price == cheap }, Parcel.tree))
    #expect(try usesTree(#Predicate<Parcel> { (small..<large).contains($0.size) }, Parcel.tree))
    #expect(
      try usesTree(
        #Predicate<Parcel> { if let weight = $0.weight { weight >= light && weight <= heavy } else { false } },
        "_osd_rtree_Parcel_weight"))
    #expect(try usesTree(#Predicate<Parcel> { $0.serial == serial }, "_osd_rtree_Parcel_serial"))
    #expect(
      try usesTree(
        #Predicate<Parcel> { $0.extent.width >= cheap && $0.extent.width <= dear },
        "_osd_rtree_Parcel_extent_width_extent_area"))
    #expect(try !usesTree(#Predicate<Parcel> { $0.price >= cheap }, Parcel.tree))
    #expect(try !usesTree(#Predicate<Parcel> { $0.size <= large || $0.size >= small }, Parcel.tree))
  }

  @Test("has the coordinates of the rows after insertions, edits, deletions and upserts")
  func keepingInStep() throws {
    let store = try TestStore(.file, [Parcel.self])
    let context = store.context()
    let parcels = Parcel.prices.flatMap { price in Parcel.sizes.map { Parcel(price, $0) } }
    try fill(context, parcels)
    #expect(try store.raw.parcelFaults() == [])
    #expect(try store.raw.column("SELECT count(*) FROM \"\(Parcel.tree)\"") == ["\(parcels.count)"])
    for (index, parcel) in parcels.enumerated() {
      switch index % 5 {
      case 0: parcel.price = Parcel.prices[index % 7]
      case 1: parcel.size = Parcel.sizes[index % 11]
      case 2: (parcel.price, parcel.size) = (.nan, .max)
      case 3: parcel.note = "elsewhere"
      default: context.delete(parcel)
      }
    }
    try context.save()
    #expect(try store.raw.parcelFaults() == [])
    let dear: Decimal = 1
    try context.delete(model: Parcel.self, where: #Predicate { $0.price > dear })
    try context.save()
    #expect(try store.raw.parcelFaults() == [])
    #expect(try store.raw.column("SELECT count(*) FROM \"\(Parcel.tree)\"") != ["0"])
  }

  @Test("is updated by triggers when an SQL shell writes")
  func shell() throws {
    let store = try TestStore(.file, [Lot.self])
    let raw = try store.raw
    try raw.run("INSERT INTO Lot (_osd_key, price, size) VALUES (1, '5.10', 6), (2, '7', x'FFFFFFFFFFFFFFFF')")
    try raw.run("UPDATE Lot SET price = '5.20' WHERE _osd_key = 1")
    try raw.run("UPDATE Lot SET size = x'8000000000000000' WHERE _osd_key = 2")
    let (low, high, large) = (Decimal(5), Decimal(string: "5.2") ?? 0, UInt64(1) << 63)
    let near = FetchDescriptor<Lot>(predicate: #Predicate { $0.price >= low && $0.price <= high })
    #expect(try store.context().fetch(near).map(\.size) == [6])
    let great = FetchDescriptor<Lot>(predicate: #Predicate { $0.size == large })
    #expect(try store.context().fetch(great).map(\.price) == [7])
    try raw.run("DELETE FROM Lot")
    #expect(try raw.column("SELECT count(*) FROM \"_osd_rtree_Lot_price_size\"") == ["0"])
  }

  @Test("is created, filled, dropped and replaced by migrations, and then equals the R-tree of a new store")
  func migrations() throws {
    let folder = try TestStore.makeFolder()
    let url = folder.appending(path: "lots.store")
    func open(_ models: [any PersistentModel.Type]) throws -> ModelContainer {
      try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: url)])
    }
    func definitions() throws -> [[String]] {
      try RawDatabase(url.path).definitions().filter { !$0[0].hasSuffix("Lot") }
    }
    func fresh(_ models: [any PersistentModel.Type]) throws -> [[String]] {
      let store = try TestStore(.file, models)
      return try withExtendedLifetime(store) { try store.raw.definitions().filter { !$0[0].hasSuffix("Lot") } }
    }
    func entries() throws -> [[String?]] {
      try RawDatabase(url.path).rows("SELECT * FROM \"_osd_rtree_Lot_price_size\" ORDER BY _osd_key")
    }
    let context = ModelContext(try open([Lot.self]))
    for price in Parcel.prices { for size in Parcel.sizes { context.insert(Lot(price, size)) } }
    try context.save()
    let made = try entries()
    #expect(made.count == Parcel.prices.count * Parcel.sizes.count)
    _ = try open([PlainLots.Lot.self])
    #expect(try RawDatabase(url.path).trees == [] && definitions() == fresh([PlainLots.Lot.self]))
    _ = try open([Lot.self])
    #expect(try entries() == made)
    #expect(try definitions() == fresh([Lot.self]))
    _ = try open([WideLots.Lot.self])
    #expect(try entries() == made && definitions() == fresh([WideLots.Lot.self]))
  }

  @Test("is updated when a property changes to another type of number")
  func widening() throws {
    let folder = try TestStore.makeFolder()
    let url = folder.appending(path: "lots.store")
    func context(_ model: any PersistentModel.Type) throws -> ModelContext {
      ModelContext(
        try ModelContainer(for: Schema([model]), configurations: [ModelConfiguration(url: url)]))
    }
    let small = try context(SmallLots.Lot.self)
    for size in [1, 5, UInt32.max] { small.insert(SmallLots.Lot(Int(size), size)) }
    try small.save()
    let large = try context(Lot.self)
    large.insert(Lot(1, .max))
    try large.save()
    let (low, high) = (UInt64(5), UInt64.max)
    let found = try large.fetch(FetchDescriptor<Lot>(predicate: #Predicate { $0.size >= low && $0.size <= high }))
    #expect(found.map(\.size) == [5, UInt64(UInt32.max), .max])
    let tests = try RawDatabase(url.path).definitions().filter { $0[0] == "_osd_rtree_Lot_price_size_insert" }
    #expect(tests.allSatisfy { $0[1].contains("'blob'") } && tests.count == 1)
  }
}

@Model final class Lot {
  #Index<Lot>(.rtree([\.price, \.size]))
  var price: Decimal
  var size: UInt64
  init(_ price: Decimal, _ size: UInt64) {
    self.price = price
    self.size = size
  }
}

private enum PlainLots {
  @Model final class Lot {
    var price: Decimal
    var size: UInt64
    init() { (price, size) = (0, 0) }
  }
}

private enum WideLots {
  @Model final class Lot {
    #Index<Lot>(.rtree([\.price, \.size]))
    var price: Decimal
    var size: UInt64
    var note: String?
    init() { (price, size) = (0, 0) }
  }
}

private enum SmallLots {
  @Model final class Lot {
    #Index<Lot>(.rtree([\.price, \.size]))
    var price: Int
    var size: UInt32
    init(_ price: Int, _ size: UInt32) {
      self.price = price
      self.size = size
    }
  }
}
