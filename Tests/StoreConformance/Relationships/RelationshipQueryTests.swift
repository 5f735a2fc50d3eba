import SwiftData
import Testing

@Suite("Relationships in fetches", .serialized)
struct RelationshipQueryTests {
  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, graphModels)
    try store.keep(
      Shop("corner", wares: named("ab") { Ware($0) }), Shop("market", wares: [Ware("c")]), Shop("empty"), Ware("d"))
    return store
  }

  private func wares(_ context: ModelContext, _ predicate: Predicate<Ware>) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name).sorted()
  }

  private func shops(_ context: ModelContext, _ predicate: Predicate<Shop>) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name).sorted()
  }

  @Test("objects are found by their owners and by their members", arguments: Engine.allCases)
  func predicates(_ engine: Engine) throws {
    let context = try store(engine).context()
    #expect(try wares(context, #Predicate { $0.shop?.name == "corner" }) == letters("ab"))
    #expect(try wares(context, #Predicate { $0.shop == nil }) == ["d"])
    #expect(try shops(context, #Predicate { $0.wares.contains { $0.name == "c" } }) == ["market"])
    #expect(try shops(context, #Predicate { $0.wares.isEmpty }) == ["empty"])
    #expect(try shops(context, #Predicate { $0.wares.count == 2 }) == ["corner"])
    let identifier = try context.one("corner", Shop.self).persistentModelID
    #expect(try wares(context, #Predicate { $0.shop?.persistentModelID == identifier }) == letters("ab"))
  }

  @Test("fetches include unsaved changes of relationships, on both sides", arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let context = try store(engine).context()
    let corner: Shop = try context.one("corner")
    try #require(corner.wares.count == 2)
    try context.one("market", Shop.self).wares.append(corner.wares[0])
    corner.wares.append(Ware("new"))
    try context.one("empty", Shop.self).wares = [try context.one("d")]
    #expect(try wares(context, #Predicate { $0.shop?.name == "corner" }) == ["b", "new"])
    #expect(try wares(context, #Predicate { $0.shop?.name == "market" }) == letters("ac"))
    #expect(try shops(context, #Predicate { $0.wares.isEmpty }) == [])
    #expect(try shops(context, #Predicate { $0.wares.contains { $0.name == "a" } }) == ["market"])
  }

  @Test("a fetch keeps unsaved changes of lists", arguments: Engine.allCases)
  func unsavedLists(_ engine: Engine) throws {
    let context = try store(engine).context()
    let corner: Shop = try context.one("corner")
    let ware: Ware = try context.one("b")
    try #require(corner.wares.count == 2)
    corner.wares.swapAt(0, 1)
    try context.one("c", Ware.self).shop = corner
    ware.shop = nil
    _ = try context.fetch(FetchDescriptor<Shop>())
    _ = try context.fetch(FetchDescriptor<Ware>())
    #expect(corner.wares.names == letters("ac"))
    #expect(ware.shop == nil)
  }
}
