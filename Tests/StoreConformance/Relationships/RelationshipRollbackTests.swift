import SwiftData
import Testing

@Suite("Rolling back changes of relationships", .serialized)
struct RelationshipRollbackTests {
  private func scene(_ engine: Engine) throws -> Scene {
    let shops = [Shop("corner", wares: named("abcd") { Ware($0) }), Shop("market", wares: [Ware("e")])]
    let drivers = [Driver("Ada"), Driver("Bob")]
    drivers[0].car = Car("Austin")
    let students = ["Cid", "Dan"].map { Student($0) }
    students[0].courses = named("xyz") { Course($0) }
    return try Scene(engine, .fetched, shops + drivers + students)
  }

  /// Changes one-to-many, one-to-one and many-to-many relationships.
  private func change(_ scene: Scene) throws {
    let corner: Shop = try scene.find("corner")
    try scene.find("b", Ware.self).shop = try scene.find("market")
    corner.wares.reverse()
    corner.wares.append(Ware("new"))
    try scene.find("Bob", Driver.self).car = try scene.find("Austin")
    try scene.find("Dan", Student.self).courses = try scene.find(letters("yx"))
    try scene.find("z", Course.self).students = []
  }

  /// Expects that both ends of all relationships are the same as before ``change(_:)``.
  private func expectAsBefore(_ scene: Scene, location: SourceLocation = #_sourceLocation) throws {
    let corner: Shop = try scene.find("corner")
    #expect(corner.wares.names == letters("abcd"), sourceLocation: location)
    #expect(try scene.find("market", Shop.self).wares.names == ["e"], sourceLocation: location)
    for ware in corner.wares { #expect(ware.shop === corner, sourceLocation: location) }
    let ada: Driver = try scene.find("Ada")
    #expect(ada.car?.name == "Austin" && ada.car?.driver === ada, sourceLocation: location)
    #expect(try scene.find("Bob", Driver.self).car == nil, sourceLocation: location)
    #expect(try scene.find("Cid", Student.self).courses.names == letters("xyz"), sourceLocation: location)
    #expect(try scene.find("Dan", Student.self).courses.isEmpty, sourceLocation: location)
    for course in try scene.find(letters("xyz"), Course.self) {
      #expect(course.students.names == ["Cid"], sourceLocation: location)
    }
  }

  @Test(
    "a rollback restores both ends of relationships, whether the program retains the objects or not",
    arguments: Engine.allCases)
  func rollback(_ engine: Engine) throws {
    let scene = try scene(engine)
    let corner: Shop = try scene.find("corner")
    let held = corner.wares
    try change(scene)
    scene.context.rollback()
    try #require(!held.isEmpty)
    #expect(held.allSatisfy { $0.shop === corner })
    #expect(!scene.context.hasChanges)
    try expectAsBefore(scene)
    try scene.saveAndForget()
    try expectAsBefore(scene)
    #expect(try scene.context.names(of: Ware.self) == letters("abcde"))
  }

  @Test("a transaction that throws restores both ends of relationships", arguments: Engine.allCases)
  func transaction(_ engine: Engine) throws {
    let scene = try scene(engine)
    #expect(throws: Failure.self) {
      try scene.context.transaction {
        try change(scene)
        throw Failure()
      }
    }
    try expectAsBefore(scene)
    #expect(!scene.context.hasChanges)
    try scene.saveAndForget()
    try expectAsBefore(scene)
  }

  @Test("a transaction that saves before it throws restores both ends of relationships", arguments: Engine.allCases)
  func savedTransaction(_ engine: Engine) throws {
    let scene = try scene(engine)
    #expect(throws: Failure.self) {
      try scene.context.transaction {
        try change(scene)
        try scene.context.save()
        try scene.find("e", Ware.self).shop = nil
        throw Failure()
      }
    }
    try expectAsBefore(scene)
    try scene.saveAndForget()
    try expectAsBefore(scene)
  }

  @Test("changes of relationships from before a transaction that throws stay pending", arguments: Engine.allCases)
  func pendingBefore(_ engine: Engine) throws {
    let scene = try scene(engine)
    let market: Shop = try scene.find("market")
    market.wares.insert(try scene.find("b"), at: 0)
    #expect(throws: Failure.self) {
      try scene.context.transaction {
        market.wares.removeAll()
        throw Failure()
      }
    }
    #expect(market.wares.names == letters("be"))
    #expect(try scene.find("corner", Shop.self).wares.names == letters("acd"))
    try scene.nowAndLater { () throws in
      #expect(try scene.find("market", Shop.self).wares.names == letters("be"))
      #expect(try scene.find("corner", Shop.self).wares.names == letters("acd"))
      #expect(try scene.find("b", Ware.self).shop?.name == "market")
    }
  }

  @Test(
    "after a failed save, changed relationships stay pending, and a later save stores them", arguments: Engine.allCases)
  func failedSave(_ engine: Engine) throws {
    let scene = try scene(engine)
    let corner: Shop = try scene.find("corner")
    try scene.find("e", Ware.self).shop = corner
    let crew = Crew("none")
    scene.context.insert(crew)
    #expect(throws: SwiftDataError.modelValidationFailure) { try scene.context.save() }
    #expect(corner.wares.names == letters("abcde"))
    #expect(try scene.store.context().one("corner", Shop.self).wares.names == letters("abcd"))
    scene.context.delete(crew)
    try scene.context.save()
    #expect(try scene.store.context().one("corner", Shop.self).wares.names == letters("abcde"))
  }

  @Test("after a rollback, new objects are related only to each other", arguments: Engine.allCases)
  func newObjects(_ engine: Engine) throws {
    let scene = try scene(engine)
    let ware = Ware("new")
    let shop = Shop("new")
    let corner: Shop = try scene.find("corner")
    ware.shop = corner
    scene.context.insert(shop)
    scene.context.rollback()
    #expect(ware.modelContext == nil)
    #expect(corner.wares.names == letters("abcd"))
    ware.shop = shop
    #expect(shop.wares.names == ["new"])
    scene.context.insert(ware)
    try scene.context.save()
    #expect(try scene.store.context().one("new", Shop.self).wares.names == ["new"])
  }

  @Test("a rollback reads the relationships that another context saved meanwhile", arguments: Engine.allCases)
  func meanwhile(_ engine: Engine) throws {
    let scene = try scene(engine)
    let corner: Shop = try scene.find("corner")
    let ware: Ware = try scene.find("a")
    _ = corner.wares
    ware.shop = nil
    let there = scene.store.context()
    try there.one("a", Ware.self).shop = try there.one("market")
    try there.save()
    scene.context.rollback()
    #expect(ware.shop?.name == "market")
    #expect(corner.wares.names == letters("bcd"))
  }

  @Test(
    "if the saved deletion of an owner is rolled back, its members refer to the same object as before",
    arguments: Engine.allCases)
  func savedDeletion(_ engine: Engine) throws {
    let scene = try scene(engine)
    let corner: Shop = try scene.find("corner")
    let ware = corner.wares[0]
    #expect(throws: Failure.self) {
      try scene.context.transaction {
        scene.context.delete(corner)
        try scene.context.save()
        ware.shop = try scene.find("market")
        throw Failure()
      }
    }
    #expect(ware.shop === corner)
    #expect(try scene.context.names(of: Shop.self) == ["corner", "market"])
    try expectAsBefore(scene)
  }
}
