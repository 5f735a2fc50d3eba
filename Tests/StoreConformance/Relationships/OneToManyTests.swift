import SwiftData
import Testing

@Suite("One-to-many relationships", .serialized)
struct OneToManyTests {
  /// Two shops: corner has the wares a, b, c and d, and market has e. The ware f has no shop.
  private func scene(_ situation: Situation) throws -> Scene {
    let corner = Shop("corner")
    let market = Shop("market")
    let wares = named("abcdef") { Ware($0) }
    corner.wares = Array(wares[0..<4])
    market.wares = [wares[4]]
    return try Scene(situation, [corner, market] + wares)
  }

  private func expect(
    _ scene: Scene, corner: String, market: String, location: SourceLocation = #_sourceLocation
  ) throws {
    for (shopName, wares) in [("corner", letters(corner)), ("market", letters(market))] {
      let shop: Shop = try scene.find(shopName)
      #expect(shop.wares.names == wares, "the wares of \(shopName)", sourceLocation: location)
    }
    for ware in try scene.find(letters("abcdef"), Ware.self) {
      let shop = corner.contains(ware.name) ? "corner" : market.contains(ware.name) ? "market" : nil
      #expect(ware.shop?.name == shop, "the shop of \(ware.name)", sourceLocation: location)
    }
  }

  @Test(
    "every in-place change of a list changes the members' references, in memory and in the store",
    arguments: Situation.all, ListEdit.allCases)
  func listEdits(_ situation: Situation, _ edit: ListEdit) throws {
    let scene = try scene(situation)
    let shop: Shop = try scene.find("corner")
    edit.apply(to: &shop.wares, others: try scene.find(["e", "f"])) { $0.name > $1.name }
    let corner = edit.result(letters("abcd"), others: ["e", "f"]).joined()
    try scene.nowAndLater { try expect(scene, corner: corner, market: corner.contains("e") ? "" : "e") }
  }

  @Test("setting the owner of an object appends the object to the owner's list", arguments: Situation.all)
  func relate(_ situation: Situation) throws {
    let scene = try scene(situation)
    try scene.find("f", Ware.self).shop = try scene.find("corner")
    try scene.nowAndLater { try expect(scene, corner: "abcdf", market: "e") }
  }

  @Test("setting another owner removes the object from its former owner's list", arguments: Situation.all)
  func move(_ situation: Situation) throws {
    let scene = try scene(situation)
    try scene.find("b", Ware.self).shop = try scene.find("market")
    try scene.nowAndLater { try expect(scene, corner: "acd", market: "eb") }
  }

  @Test("setting the owner to nil removes the object from the list", arguments: Situation.all)
  func unrelate(_ situation: Situation) throws {
    let scene = try scene(situation)
    try scene.find("b", Ware.self).shop = nil
    try scene.find("f", Ware.self).shop = nil
    try scene.nowAndLater { try expect(scene, corner: "acd", market: "e") }
  }

  @Test(
    "setting the owner that an object already has keeps the object's position in the list", arguments: Situation.all)
  func relateAgain(_ situation: Situation) throws {
    let scene = try scene(situation)
    try scene.find("b", Ware.self).shop = try scene.find("corner")
    try scene.nowAndLater { try expect(scene, corner: "abcd", market: "e") }
  }

  @Test("setting both ends of the relationship lists the object once", arguments: Situation.all)
  func bothSides(_ situation: Situation) throws {
    let scene = try scene(situation)
    let corner: Shop = try scene.find("corner")
    let ware: Ware = try scene.find("f")
    ware.shop = corner
    corner.wares.append(ware)
    try scene.nowAndLater { try expect(scene, corner: "abcdf", market: "e") }
  }

  @Test("adding an object to a second list removes it from the first", arguments: Situation.all)
  func steal(_ situation: Situation) throws {
    let scene = try scene(situation)
    try scene.find("market", Shop.self).wares.insert(try scene.find("c"), at: 0)
    try scene.nowAndLater { try expect(scene, corner: "abd", market: "ce") }
  }

  @Test("two owners can exchange their lists", arguments: Situation.all)
  func exchange(_ situation: Situation) throws {
    let scene = try scene(situation)
    let corner: Shop = try scene.find("corner")
    let market: Shop = try scene.find("market")
    let wares = corner.wares
    corner.wares = market.wares
    market.wares = wares
    try scene.nowAndLater { try expect(scene, corner: "e", market: "abcd") }
  }

  @Test(
    "a list that was not read yet has the changes that were made through the members' references",
    arguments: Engine.allCases)
  func unreadList(_ engine: Engine) throws {
    let scene = try scene(Situation(engine: engine, stage: .fetched))
    let wares: [Ware] = try scene.find(letters("abcf"))
    wares[0].shop = nil
    wares[3].shop = wares[1].shop
    wares[2].shop = try scene.find("market")
    try scene.nowAndLater { try expect(scene, corner: "bdf", market: "ec") }
  }

  @Test("a list that is first read after the save has the saved members", arguments: Engine.allCases)
  func unreadUntilSaved(_ engine: Engine) throws {
    let scene = try scene(Situation(engine: engine, stage: .fetched))
    let corner: Shop = try scene.find("corner")
    try scene.find("f", Ware.self).shop = corner
    try scene.find("a", Ware.self).shop = nil
    try scene.context.save()
    #expect(corner.wares.names == letters("bcdf"))
    try scene.nowAndLater { try expect(scene, corner: "bcdf", market: "e") }
  }

  @Test("a save after many changes of the same relationships writes the final state", arguments: Situation.all)
  func manyChanges(_ situation: Situation) throws {
    let scene = try scene(situation)
    let corner: Shop = try scene.find("corner")
    let market: Shop = try scene.find("market")
    let wares: [Ware] = try scene.find(letters("abcdef"))
    for _ in 0..<3 {
      for ware in wares { ware.shop = market }
      corner.wares = wares.reversed()
      market.wares.append(wares[0])
      try #require(corner.wares.count > 1)
      corner.wares.removeLast(2)
      wares[1].shop = nil
    }
    try scene.nowAndLater { try expect(scene, corner: "fed", market: "a") }
  }

  @Test("changes of a list between several saves are all saved", arguments: Engine.allCases)
  func savesBetween(_ engine: Engine) throws {
    let scene = try scene(Situation(engine: engine, stage: .saved))
    let corner: Shop = try scene.find("corner")
    corner.wares.append(try scene.find("f"))
    try scene.context.save()
    try #require(corner.wares.count == 5)
    corner.wares.swapAt(0, 4)
    try scene.context.save()
    try scene.find("c", Ware.self).shop = try scene.find("market")
    try scene.context.save()
    corner.wares.insert(try scene.find("c"), at: 1)
    try scene.nowAndLater { try expect(scene, corner: "fcbda", market: "e") }
  }

  @Test("setting the owner of an object marks the object and the context as changed", arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let scene = try scene(Situation(engine: engine, stage: .saved))
    let ware: Ware = try scene.find("f")
    #expect(!scene.context.hasChanges)
    ware.shop = try scene.find("corner")
    #expect(scene.context.hasChanges)
    #expect(ware.hasChanges)
    try scene.context.save()
    #expect(!scene.context.hasChanges)
  }

  @Test(
    "the processor time of an in-place change does not depend on the length of the list", arguments: Engine.allCases)
  func cost(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    func append(_ count: Int) -> Duration {
      let shop = Shop("of \(count)")
      context.insert(shop)
      let wares = (0..<count).map { Ware("\($0)") }
      return cpuTime {
        for ware in wares { shop.wares.append(ware) }
      }
    }
    let few = append(1000)
    let many = append(16000)
    #expect(many < few * 100, "1,000 took \(few), 16,000 took \(many)")
    try context.save()
    #expect(try store.context().one("of 16000", Shop.self).wares.count == 16000)
  }
}
