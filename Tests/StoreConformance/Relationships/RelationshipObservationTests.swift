import SwiftData
import Testing

@Suite("Observing relationships", .serialized)
struct RelationshipObservationTests {
  private func scene(_ engine: Engine) throws -> Scene {
    let shops = [Shop("corner", wares: named("ab") { Ware($0) }), Shop("market", wares: [Ware("c")])]
    return try Scene(engine, .fetched, shops)
  }

  @Test(
    "relating an object notifies observers of its new and its former list", arguments: Engine.allCases)
  func lists(_ engine: Engine) throws {
    let scene = try scene(engine)
    let corner: Shop = try scene.find("corner")
    let market: Shop = try scene.find("market")
    let ware: Ware = try scene.find("a")
    let left = changeFlag { _ = corner.wares.count }
    let entered = changeFlag { _ = market.wares.count }
    let name = changeFlag { _ = corner.name }
    ware.shop = market
    #expect(left.isRaised)
    #expect(entered.isRaised)
    #expect(!name.isRaised)
  }

  @Test("changing a list notifies observers of the references of its members", arguments: Engine.allCases)
  func references(_ engine: Engine) throws {
    let scene = try scene(engine)
    let corner: Shop = try scene.find("corner")
    let wares: [Ware] = try scene.find(letters("abc"))
    let left = changeFlag { _ = wares[0].shop }
    let stayed = changeFlag { _ = wares[1].shop }
    let entered = changeFlag { _ = wares[2].shop }
    try #require(corner.wares.count == 2)
    corner.wares.removeFirst()
    #expect(left.isRaised)
    corner.wares.append(wares[2])
    #expect(entered.isRaised)
    #expect(!stayed.isRaised)
  }

  @Test("an observer of the second side of a one-to-one relationship is notified", arguments: Engine.allCases)
  func oneToOne(_ engine: Engine) throws {
    let scene = try Scene(engine, .saved, [Driver("Ada"), Car("Austin")])
    let car: Car = try scene.find("Austin")
    let flag = changeFlag { _ = car.driver }
    try scene.find("Ada", Driver.self).car = car
    #expect(flag.isRaised)
  }

  @Test("an observer of the second side of a many-to-many relationship is notified", arguments: Engine.allCases)
  func manyToMany(_ engine: Engine) throws {
    let scene = try Scene(engine, .saved, [Student("Ada"), Course("a")])
    let course: Course = try scene.find("a")
    let flag = changeFlag { _ = course.students }
    try scene.find("Ada", Student.self).courses.append(course)
    #expect(flag.isRaised)
  }

  @Test("deleting an object notifies observers of its lists", arguments: Engine.allCases)
  func delete(_ engine: Engine) throws {
    let scene = try scene(engine)
    let corner: Shop = try scene.find("corner")
    let ware: Ware = try scene.find("c")
    let list = changeFlag { _ = corner.wares.count }
    let reference = changeFlag { _ = ware.shop }
    try #require(!corner.wares.isEmpty)
    scene.context.delete(corner.wares[0])
    scene.context.delete(try scene.find("market", Shop.self))
    #expect(list.isRaised)
    #expect(reference.isRaised)
  }

  @Test("a rollback notifies observers of either side", arguments: Engine.allCases)
  func rollback(_ engine: Engine) throws {
    let scene = try scene(engine)
    let corner: Shop = try scene.find("corner")
    let ware: Ware = try scene.find("a")
    ware.shop = nil
    let list = changeFlag { _ = corner.wares.count }
    let reference = changeFlag { _ = ware.shop }
    scene.context.rollback()
    #expect(list.isRaised)
    #expect(reference.isRaised)
    #expect(corner.wares.names == letters("ab"))
  }

  @Test("an observer that reads the other side finds both sides changed", arguments: Engine.allCases)
  func after(_ engine: Engine) throws {
    let scene = try scene(engine)
    let corner: Shop = try scene.find("corner")
    let ware: Ware = try scene.find("a")
    let flag = changeFlag { _ = (ware.shop, corner.wares.count) }
    ware.shop = nil
    #expect(flag.isRaised)
    #expect(ware.shop == nil && corner.wares.names == ["b"])
  }
}
