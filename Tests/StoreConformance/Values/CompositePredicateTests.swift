import SwiftData
import Testing

@Suite("Predicates and sorts on structs that are stored in several columns", .serialized)
struct CompositePredicateTests {
  private static func sites() -> [Site] {
    var wet = Address("Bergen", latitude: 60.4, longitude: 5.3, zip: 5003)
    wet.climate = .wet
    wet.hint = Coordinates(latitude: 1, longitude: 2)
    wet.spare = Region()
    var open = Address("Oslo", latitude: 59.9, longitude: 10.8, zip: 150)
    open.isOpen = true
    open.lastClimate = .wet
    open.spare = Region(code: "03", zip: nil)
    return [
      Site(1, wet), Site(2, open, former: wet), Site(3, Address(""), former: Address("Oslo")),
      Site(4, .extreme, former: .extreme), Site(5, Address("Oslo", latitude: .nan), former: open),
    ]
  }

  /// Expects that the predicate matches the sites with these positions, both in the store and when it is evaluated in
  /// memory.
  private func expect(
    _ engine: Engine, _ positions: [Int], _ predicate: Predicate<Site>, location: SourceLocation = #_sourceLocation
  ) throws {
    let store = try TestStore(engine, [Site.self])
    let context = store.context()
    let sites = Self.sites()
    sites.forEach(context.insert)
    let judged = try sites.filter { try predicate.evaluate($0) }.map(\.position)
    #expect(judged == positions, "in memory", sourceLocation: location)
    try context.save()
    let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.position)])
    #expect(try store.context().fetch(descriptor).map(\.position) == positions, sourceLocation: location)
    #expect(try store.context().fetchCount(descriptor) == positions.count, sourceLocation: location)
  }

  @Test("a predicate can compare members of a struct", arguments: Engine.allCases)
  func members(_ engine: Engine) throws {
    try expect(engine, [2, 5], #Predicate { $0.address.city == "Oslo" })
    try expect(engine, [1, 3, 4], #Predicate { $0.address.city != "Oslo" })
    try expect(engine, [1, 2], #Predicate { $0.address.point.latitude > 3 })
    try expect(engine, [1], #Predicate { $0.address.region.zip == 5003 })
    try expect(engine, [3, 5], #Predicate { $0.address.region.zip == nil })
    try expect(engine, [2, 4], #Predicate { $0.address.isOpen })
    let (dry, wet) = (Climate.dry, Climate.wet)
    try expect(engine, [2, 3, 5], #Predicate { $0.address.climate == dry })
    try expect(engine, [1, 4], #Predicate { $0.address.climate.rawValue == "wet" })
    try expect(engine, [2], #Predicate { $0.address.lastClimate == wet })
    try expect(engine, [3], #Predicate { $0.address.city.isEmpty })
    try expect(engine, [2, 5], #Predicate { $0.address.city.contains("sl") })
  }

  @Test("a predicate can compare members of an optional struct", arguments: Engine.allCases)
  func optional(_ engine: Engine) throws {
    try expect(engine, [3, 5], #Predicate { $0.former?.city == "Oslo" })
    try expect(engine, [1, 2, 4], #Predicate { $0.former?.city != "Oslo" })
    try expect(engine, [2], #Predicate { $0.former?.region.zip == 5003 })
    try expect(engine, [1, 3], #Predicate { $0.former?.region.zip == nil })
    try expect(engine, [2], #Predicate { $0.former?.hint?.longitude == 2 })
    try expect(engine, [1], #Predicate { $0.address.hint?.longitude == 2 })
    try expect(engine, [2], #Predicate { ($0.former?.city ?? "") == "Bergen" })
    try expect(engine, [2, 5], #Predicate { $0.former.flatMap { $0.point.latitude > 3 } ?? false })
    try expect(engine, [2, 3, 5], #Predicate { $0.former != nil && $0.former!.floor == 0 })
  }

  @Test("a predicate can compare a struct with nil, at each level of nesting", arguments: Engine.allCases)
  func missing(_ engine: Engine) throws {
    try expect(engine, [1], #Predicate { $0.former == nil })
    try expect(engine, [2, 3, 4, 5], #Predicate { $0.former != nil })
    try expect(engine, [2, 3, 5], #Predicate { $0.address.hint == nil })
    try expect(engine, [1, 2, 4], #Predicate { $0.address.spare != nil })
    try expect(engine, [1, 3], #Predicate { $0.former?.spare == nil })
    try expect(engine, [1, 2, 3, 4, 5], #Predicate { $0.formerRegion == nil })
  }

  @Test("a predicate can compare a whole struct with a captured value", arguments: Engine.allCases)
  func wholes(_ engine: Engine) throws {
    let point = Coordinates(latitude: 60.4, longitude: 5.3)
    try expect(engine, [1], #Predicate { $0.address.point == point })
    try expect(engine, [2, 3, 4, 5], #Predicate { $0.address.point != point })
    let (spare, other, missing) = (Region?.some(Region()), Region(code: "03", zip: nil), Region?.none)
    try expect(engine, [1, 4], #Predicate { $0.address.spare == spare })
    try expect(engine, [2], #Predicate { $0.address.spare == other })
    try expect(engine, [3, 5], #Predicate { $0.address.spare == missing })
    let (hint, region) = (Coordinates?.some(Coordinates(latitude: 1, longitude: 2)), Region())
    try expect(engine, [1], #Predicate { hint == $0.address.hint })
    try expect(engine, [1, 2, 3, 4, 5], #Predicate { $0.region == region })
    let address = Self.sites()[0].address
    try expect(engine, [1], #Predicate { $0.address == address })
    try expect(engine, [2], #Predicate { $0.former == address })
  }

  @Test("a predicate can compare a struct property with another struct property", arguments: Engine.allCases)
  func eachOther(_ engine: Engine) throws {
    try expect(engine, [1, 2, 3, 4, 5], #Predicate { $0.region == $0.region })
    try expect(engine, [4], #Predicate { $0.former != nil && $0.former! == $0.address })
    try expect(engine, [1, 2, 3, 4, 5], #Predicate { $0.address.region == $0.address.region })
  }

  @Test(
    "a predicate on a value without a column, such as a computed property, is evaluated in memory",
    arguments: Engine.allCases)
  func computed(_ engine: Engine) throws {
    try expect(engine, [2, 5], #Predicate { $0.address.label == "Oslo!" })
    try expect(engine, [4], #Predicate { $0.address.tags.contains("") })
    let points = [Coordinates(latitude: 60.4, longitude: 5.3)]
    try expect(engine, [1], #Predicate { points.contains($0.address.point) })
    let fallback = Address("")
    try expect(engine, [1], #Predicate { ($0.former ?? fallback) == fallback })
  }

  @Test("a fetch can sort by members of a struct", arguments: Engine.allCases)
  func sorting(_ engine: Engine) throws {
    func positions(_ descriptors: SortDescriptor<Site>...) throws -> [Int] {
      let store = try TestStore(engine, [Site.self])
      let context = store.context()
      Self.sites().forEach(context.insert)
      let pending = try context.fetch(FetchDescriptor(sortBy: descriptors)).map(\.position)
      try context.save()
      let saved = try store.context().fetch(FetchDescriptor(sortBy: descriptors)).map(\.position)
      #expect(pending == saved)
      return saved
    }
    let position = SortDescriptor(\Site.position)
    #expect(try positions(SortDescriptor(\.address.city), position) == [3, 1, 2, 5, 4])
    #expect(try positions(SortDescriptor(\.address.region.zip), position) == [3, 5, 4, 2, 1])
    #expect(try positions(SortDescriptor(\.address.point.longitude, order: .reverse), position) == [2, 1, 4, 3, 5])
    #expect(try positions(SortDescriptor(\.former?.city), position) == [1, 2, 3, 5, 4])
  }
}
