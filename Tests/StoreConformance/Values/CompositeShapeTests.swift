import SwiftData
import Testing

@Suite("Structs that are stored in a column for each field, or as JSON", .serialized)
struct CompositeShapeTests {
  /// The names of the members that have a column of their own, or nil if the property is stored in one column.
  private func members(_ property: String, of model: any PersistentModel.Type = Shapes.self) throws -> [String]? {
    let entity = try #require(Schema([model]).entities.first)
    return (entity.attributesByName[property] as? Schema.CompositeAttribute)?.properties.map(\.name)
  }

  @Test("structs are stored by their fields, even if their encoding throws", arguments: Engine.allCases)
  func uncoded(_ engine: Engine) throws {
    #expect(try members("uncoded") == ["left", "right"])
    try expectRoundTrip(engine, \Shapes.uncoded, [Uncoded(left: 1, right: "a"), Uncoded(left: .min, right: "")])
  }

  @Test("generic structs are stored by their fields", arguments: Engine.allCases)
  func generic(_ engine: Engine) throws {
    #expect(try members("pair") == ["first", "second"])
    let values = [Pair(first: Date(timeIntervalSinceReferenceDate: 1), second: Pair(first: Int?.none, second: ["x"]))]
    try expectRoundTrip(engine, \Shapes.pair, values + [Pair(first: .now, second: Pair(first: 3, second: []))])
  }

  @Test("structs with property wrappers and private members are stored by their fields", arguments: Engine.allCases)
  func wrapped(_ engine: Engine) throws {
    #expect(try members("settings") == ["_volume", "name"])
    try expectRoundTrip(engine, \Shapes.settings, [Settings(volume: 3, name: "x")])
  }

  @Test("structs with a field that cannot be stored are stored as JSON", arguments: Engine.allCases)
  func unstorable(_ engine: Engine) throws {
    for property in ["closure", "weak", "any", "empty"] { #expect(try members(property) == nil, "\(property)") }
    try expectRoundTrip(engine, \Shapes.closure, [WithClosure(number: 3)])
    try expectRoundTrip(engine, \Shapes.weak, [WithWeak(number: 3)])
    try expectRoundTrip(engine, \Shapes.any, [WithAny(number: 3)])
    try expectRoundTrip(engine, \Shapes.empty, [Empty()])
  }

  @Test(
    "members of a struct that cannot be stored by fields are stored as JSON, each in one column",
    arguments: Engine.allCases)
  func outer(_ engine: Engine) throws {
    #expect(try members("outer") == ["title", "inner", "empty", "holder", "span"])
    let value = Outer(title: "x", inner: WithClosure(number: 4), empty: Empty(), holder: Holder(5), span: 1..<7)
    try expectRoundTrip(engine, \Shapes.outer, [nil, value])
  }

  @Test("structs of the standard library and Foundation are stored as JSON", arguments: Engine.allCases)
  func toolchain(_ engine: Engine) throws {
    for property in ["span", "components", "name", "point"] { #expect(try members(property) == nil, "\(property)") }
    try expectRoundTrip(engine, \Shapes.span, [-3..<7])
    try expectRoundTrip(engine, \Shapes.components, [DateComponents(year: 2001, day: 3)])
    try expectRoundTrip(engine, \Shapes.name, [nil, PersonNameComponents(givenName: "Ada", familyName: "L")])
    try expectRoundTrip(engine, \Shapes.point, [CGPoint(x: 1.5, y: -0.25)])
  }

  @Test("structs are stored in one column if an option of @Attribute requests it", arguments: Engine.allCases)
  func codable(_ engine: Engine) throws {
    #expect(try members("whole") == nil)
    #expect(try members("passing") == nil)
    try expectRoundTrip(engine, \Shapes.whole, [Coordinates(latitude: 1, longitude: 2)])
  }

  @Test("classes are stored as JSON", arguments: Engine.allCases)
  func classes(_ engine: Engine) throws {
    #expect(try members("holder") == nil)
    try expectRoundTrip(engine, \Shapes.holder, [Holder(3)])
  }

  @Test(
    "the placeholder for a deleted row returns a struct even if decoding the struct throws", arguments: Engine.allCases)
  func standIn(_ engine: Engine) throws {
    let store = try TestStore(engine, [Bare.self])
    let writer = store.context()
    let bare = Bare(uncoded: Uncoded(left: 1, right: "x"))
    writer.insert(bare)
    try writer.save()
    let identifier = bare.persistentModelID
    writer.delete(bare)
    try writer.save()
    let standIn = try #require(store.context().model(for: identifier) as? Bare)
    #expect(standIn.isDeleted && standIn.uncoded == Uncoded(left: 0, right: ""))
  }

  @Test("structs can be the values of constants", arguments: Engine.allCases)
  func constants(_ engine: Engine) throws {
    let store = try TestStore(engine, [Fixed.self])
    let context = store.context()
    let origin = Coordinates(latitude: 1, longitude: 2)
    context.insert(Fixed(origin: origin, region: Region(), position: 1, address: .extreme))
    context.insert(Fixed(origin: origin, region: nil, position: 2, address: nil))
    try context.save()
    let reader = store.context()
    let sorted = FetchDescriptor<Fixed>(sortBy: [SortDescriptor(\.position)])
    let found = try reader.fetch(sorted)
    #expect(found.map(\.origin) == [origin, origin])
    #expect(found.map(\.region) == [Region(), nil])
    #expect(found.map(\.address) == [.extreme, nil])
    found[0].position = 0
    // The second fetch refreshes existing objects, for which it skips the columns of the constants.
    #expect(try reader.fetch(sorted).map(\.position) == [0, 2])
    try reader.save()
    #expect(try store.context().fetch(sorted).map(\.position) == [0, 2])
  }

  @Test("structs can be properties of a model with hand-written conformance", arguments: Engine.allCases)
  func manual(_ engine: Engine) throws {
    let store = try TestStore(engine, [ManualSite.self])
    let context = store.context()
    let site = ManualSite(.extreme, region: nil)
    context.insert(site)
    try context.save()
    let reader = store.context()
    let found = try #require(try reader.fetch(FetchDescriptor<ManualSite>()).first)
    #expect(found.address == .extreme && found.region == nil && found.name == "last")
    found.region = Region()
    // The fetch skips the columns of the unsaved struct, and must still read the next property from its own column.
    #expect(try reader.fetch(FetchDescriptor<ManualSite>()).first?.name == "last")
    try reader.save()
    site.name = "later"
    _ = try context.fetch(FetchDescriptor<ManualSite>())
    #expect(site.region == Region() && site.name == "later" && site.address == .extreme)
  }
}
