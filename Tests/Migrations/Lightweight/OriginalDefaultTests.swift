import ConformanceSupport
import SwiftData
import Testing

private struct Spot: Codable, Equatable {
  var city = "o\u{302}"
  var height = -0.0
}

private enum Before {
  @Model final class Trip {
    var name: String
    var note: String?
    init(_ name: String, note: String? = nil) { (self.name, self.note) = (name, note) }
  }
}

private enum After {
  @Model final class Trip {
    var name: String
    var title = "cafe\u{301}"
    var quoted = "it'\u{301}s"
    var escaped = "a\0b\u{1}"
    var weight = -0.0
    var spot = Spot()
    init(_ name: String) { self.name = name }
  }
}

/// The next version: `note` becomes required, so the table has to be rebuilt.
private enum Required {
  @Model final class Trip {
    var name: String
    var note: String = "e\u{301}"
    init(_ name: String) { self.name = name }
  }
}

private enum Volatile {
  @Model final class Trip {
    var name: String
    var note: String?
    var code: String = Volatile.next()
    init(_ name: String) { self.name = name }
  }

  static func next() -> String { "e\u{301}\(UUID().uuidString)" }
}

private enum Upper {
  @Model class Thing {
    var name: String
    init(_ name: String) { self.name = name }
  }
  @Model final class Ship: Thing {
    var knots = 1
    override init(_ name: String) { super.init(name) }
  }
  @Model final class Bus: Thing {
    var seats = 1
    override init(_ name: String) { super.init(name) }
  }
}

private enum Grown {
  @Model class Thing {
    var name: String
    var place = "o\u{302}"
    init(_ name: String) { self.name = name }
  }
  @Model final class Ship: Thing {
    var knots = 1
    var flag = "e\u{301}"
    override init(_ name: String) { super.init(name) }
  }
  @Model final class Bus: Thing {
    var seats = 1
    override init(_ name: String) { super.init(name) }
  }
}

/// The next version: an attribute moves from the superclass to two subclasses.
private enum Lower {
  @Model class Thing {
    var mark = "none"
    init() {}
  }
  @Model final class Ship: Thing {
    var knots = 1
    var name: String
    init(_ name: String) {
      self.name = name
      super.init()
    }
  }
  @Model final class Bus: Thing {
    var seats = 1
    var name: String
    init(_ name: String) {
      self.name = name
      super.init()
    }
  }
}

private func scalars(_ text: String?) -> [UInt32]? { text?.unicodeScalars.map(\.value) }

@Suite("Defaults whose texts are not in Unicode's composed form, and texts of columns that become two columns")
struct OriginalDefaultTests {
  private func store(_ names: String...) throws -> MigratedStore {
    let store = try MigratedStore()
    try store.use([Before.Trip.self]) { context in
      for name in names { context.insert(Before.Trip(name)) }
      context.insert(Before.Trip("composed", note: "\u{E9}"))
      context.insert(Before.Trip("decomposed", note: "e\u{301}"))
    }
    return store
  }

  @Test("existing rows get a default exactly as declared, with its Unicode form, escapes, quotes and sign of zero")
  func added() async throws {
    let store = try store("old")
    try store.use([After.Trip.self]) { _ in }
    #expect(try store.contents().problems() == [])
    let container = try store.open([After.Trip.self])
    let trips = try ModelContext(container).fetch(FetchDescriptor<After.Trip>())
    #expect(trips.count == 3)
    for trip in trips {
      #expect(scalars(trip.title) == scalars("cafe\u{301}") && scalars(trip.quoted) == scalars("it'\u{301}s"))
      #expect(scalars(trip.escaped) == scalars("a\0b\u{1}"))
      #expect(trip.weight == 0 && trip.weight.sign == .minus)
      #expect(scalars(trip.spot.city) == scalars("o\u{302}") && trip.spot.height.sign == .minus)
    }
    guard !MigratedStore.isOnServer else { return }
    let problems = try await container.check()
    #expect(problems.isEmpty, "\(problems)")
  }

  @Test(
    "when an attribute becomes required, rows without a value get the default exactly as declared")
  func required() throws {
    let store = try store("old")
    try store.use([Required.Trip.self]) { _ in }
    let context = ModelContext(try store.open([Required.Trip.self]))
    let notes = try context.fetch(FetchDescriptor<Required.Trip>(sortBy: [SortDescriptor(\.name)])).map(\.note)
    #expect(notes.map { scalars($0) } == ["\u{E9}", "e\u{301}", "e\u{301}"].map { scalars($0) })
  }

  @Test("existing rows get a computed default exactly as it was computed")
  func volatile() throws {
    let store = try store("old")
    try store.use([Volatile.Trip.self]) { _ in }
    let context = ModelContext(try store.open([Volatile.Trip.self]))
    let trips = try context.fetch(FetchDescriptor<Volatile.Trip>())
    #expect(trips.count == 3 && Set(trips.map(\.code)).count == 3)
    for trip in trips { #expect(scalars(trip.code)?.prefix(2) == [0x65, 0x301]) }
  }

  @Test("rows of subclasses get inherited defaults exactly as declared")
  func inherited() async throws {
    let store = try MigratedStore()
    try store.use([Upper.Thing.self, Upper.Ship.self, Upper.Bus.self]) { context in
      for thing in [Upper.Ship("ship"), Upper.Bus("bus"), Upper.Thing("thing")] { context.insert(thing) }
    }
    let models: [any PersistentModel.Type] = [Grown.Thing.self, Grown.Ship.self, Grown.Bus.self]
    try store.use(models) { _ in }
    let container = try store.open(models)
    let things = try ModelContext(container).fetch(FetchDescriptor<Grown.Thing>())
    #expect(things.map { scalars($0.place) } == Array(repeating: scalars("o\u{302}"), count: 3))
    #expect(things.compactMap { $0 as? Grown.Ship }.map { scalars($0.flag) } == [scalars("e\u{301}")])
    let places = ["flag", "place", "place", "place"].map { "Thing.\($0)" }
    #expect(try store.contents().placesOfOriginals() == places)
    if !MigratedStore.isOnServer { #expect(try await container.check() == []) }
  }

  @Test("if an attribute moves to two subclasses, both keep the texts in the Unicode form in which they were saved")
  func pushedDown() throws {
    let store = try MigratedStore()
    try store.use([Upper.Thing.self, Upper.Ship.self, Upper.Bus.self]) { context in
      context.insert(Upper.Ship("shi\u{301}p"))
      context.insert(Upper.Bus("bu\u{308}s"))
    }
    try store.use([Lower.Thing.self, Lower.Ship.self, Lower.Bus.self]) { _ in }
    let context = ModelContext(try store.open([Lower.Thing.self, Lower.Ship.self, Lower.Bus.self]))
    #expect(try context.fetch(FetchDescriptor<Lower.Ship>()).map { scalars($0.name) } == [scalars("shi\u{301}p")])
    #expect(try context.fetch(FetchDescriptor<Lower.Bus>()).map { scalars($0.name) } == [scalars("bu\u{308}s")])
  }
}
