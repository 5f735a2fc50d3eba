import SwiftData
import Testing

@Suite("Loading relationships", .serialized)
struct LoadingTests {
  private let shops = 30

  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    for number in 0..<shops {
      let shop = Shop("\(number)")
      context.insert(shop)
      shop.wares = (0..<number % 5).map { Ware("\(number).\($0)") }
    }
    try context.save()
    return store
  }

  private func wares(of shop: Shop) throws -> [String] {
    let number = try #require(Int(shop.name))
    return (0..<number % 5).map { "\(number).\($0)" }
  }

  private func expectAll(_ found: [Shop], location: SourceLocation = #_sourceLocation) throws {
    for shop in found {
      #expect(shop.wares.names == (try wares(of: shop)), sourceLocation: location)
      #expect(shop.wares.allSatisfy { $0.shop === shop }, sourceLocation: location)
    }
  }

  @Test("the lists of several owners, read as a batch, have each owner's members", arguments: Engine.allCases)
  func batch(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let found = try context.fetch(FetchDescriptor<Shop>())
    #expect(found[14].wares.names == (try wares(of: found[14])))
    try expectAll(found)
    try expectAll(found.reversed())
  }

  @Test("a prefetched list has the same members", arguments: Engine.allCases)
  func prefetch(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    var descriptor = FetchDescriptor<Shop>()
    descriptor.relationshipKeyPathsForPrefetching = [\.wares]
    let found = try context.fetch(descriptor)
    #expect(found.count == shops)
    try expectAll(found)
    var reverse = FetchDescriptor<Ware>()
    reverse.relationshipKeyPathsForPrefetching = [\.shop]
    let wares = try store.context().fetch(reverse)
    #expect(wares.count == 60)
    #expect(wares.allSatisfy { $0.name.hasPrefix("\($0.shop?.name ?? "-").") })
  }

  @Test("objects that were changed between the fetch and the access keep their changes", arguments: Engine.allCases)
  func changedBetween(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let found = try context.fetch(FetchDescriptor<Shop>(sortBy: [SortDescriptor(\.name)]))
    let four: Shop = try #require(found.first { $0.name == "4" })
    let nine: Shop = try #require(found.first { $0.name == "9" })
    let ware: Ware = try context.one("4.1")
    ware.shop = nine
    context.delete(try context.one("9.0", Ware.self))
    four.wares.append(Ware("new"))
    _ = found[0].wares
    #expect(four.wares.names == ["4.0", "4.2", "4.3", "new"])
    #expect(nine.wares.names == ["9.1", "9.2", "9.3", "4.1"])
    try context.save()
    #expect(try store.context().one("9", Shop.self).wares.names == ["9.1", "9.2", "9.3", "4.1"])
  }

  @Test("a batch with released objects loads the lists of the others", arguments: Engine.allCases)
  func partlyGone(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    var found = try context.fetch(FetchDescriptor<Shop>())
    found.removeFirst(10)
    context.delete(found.removeFirst())
    try expectAll(found)
    try context.save()
    try expectAll(found)
  }

  @Test("a batch whose rows another context deletes can be read", arguments: Engine.allCases)
  func rowsVanish(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let found = try context.fetch(FetchDescriptor<Shop>())
    let there = store.context()
    for shop in try there.fetch(FetchDescriptor<Shop>()) where shop.wares.count > 2 { there.delete(shop) }
    try there.save()
    for shop in found where shop.name.hasSuffix("2") { #expect(shop.wares.names == (try wares(of: shop))) }
    for shop in found { _ = shop.wares.map(\.name) }
  }

  @Test("lists of one batch that are accessed at different times have the stored members", arguments: Engine.allCases)
  func later(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let found = try context.fetch(FetchDescriptor<Shop>())
    _ = found[3].wares
    try context.one("7", Shop.self).wares.append(Ware("new"))
    try context.save()
    #expect(try context.one("7", Shop.self).wares.names == ["7.0", "7.1", "new"])
    for shop in found where shop.name != "7" { #expect(shop.wares.names == (try wares(of: shop))) }
  }

  @Test("nested batches load a complete tree", arguments: Engine.allCases)
  func tree(_ engine: Engine) throws {
    let root = Folder("r")
    var level = [root]
    for _ in 0..<4 {
      level = level.flatMap { parent in (0..<4).map { Folder("\(parent.name)\($0)", parent: parent) } }
    }
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    for folder in level { context.insert(folder) }
    try context.save()
    func names(below folder: Folder) -> Int { 1 + folder.children.reduce(0) { $0 + names(below: $1) } }
    let found: Folder = try store.context().one("r")
    #expect(names(below: found) == 1 + 4 + 16 + 64 + 256)
  }

  @Test("lists that were read stay readable after the release of their context", arguments: Engine.allCases)
  func droppedContext(_ engine: Engine) throws {
    let store = try store(engine)
    var found: [Shop] = []
    do {
      let context = store.context()
      found = try context.fetch(FetchDescriptor<Shop>())
      _ = found.map { $0.wares.count }
    }
    store.releaseContainer()
    for shop in found { #expect(shop.wares.names == (try wares(of: shop))) }
  }

  @Test("a row that another context changed is refreshed by the next fetch", arguments: Engine.allCases)
  func elsewhere(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let shop: Shop = try context.one("4")
    #expect(shop.wares.count == 4)
    let there = store.context()
    try #require(there.one("4", Shop.self).wares.count == 4)
    try there.one("4", Shop.self).wares.removeFirst(2)
    try there.save()
    #expect(try context.one("4", Shop.self).wares.names == ["4.2", "4.3"])
  }
}
