import SwiftData
import Testing

@Suite("Relating across contexts", .serialized)
struct CrossContextTests {
  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, graphModels)
    try store.keep(
      Shop("corner", wares: named("ab") { Ware($0) }), Shop("market"), Driver("Ada"), Car("Austin"), Student("Bob"),
      Course("x"))
    return store
  }

  @Test(
    "an object of another context is replaced by this context's object of the row, in a list",
    arguments: Engine.allCases)
  func list(_ engine: Engine) throws {
    let store = try store(engine)
    let (here, there) = (store.context(), store.context())
    let theirs: Ware = try there.one("a")
    let market: Shop = try here.one("market")
    market.wares.append(theirs)
    let ours = try #require(market.wares.first)
    #expect(ours !== theirs && ours == theirs)
    #expect(ours.modelContext === here && theirs.modelContext === there)
    #expect(ours.shop === market)
    #expect(theirs.shop?.name == "corner")
    #expect(!there.hasChanges)
    try here.save()
    #expect(try store.context().one("market", Shop.self).wares.names == ["a"])
    #expect(try store.context().one("corner", Shop.self).wares.names == ["b"])
    #expect(try store.context().names(of: Ware.self) == letters("ab"))
  }

  @Test("an owner of another context is replaced by this context's object of the row", arguments: Engine.allCases)
  func owner(_ engine: Engine) throws {
    let store = try store(engine)
    let (here, there) = (store.context(), store.context())
    let theirs: Shop = try there.one("market")
    let ware: Ware = try here.one("b")
    ware.shop = theirs
    #expect(ware.shop === (try here.one("market", Shop.self)))
    #expect(ware.shop?.wares.names == ["b"])
    #expect(theirs.wares.isEmpty)
    try here.save()
    #expect(try store.context().one("b", Ware.self).shop?.name == "market")
  }

  @Test("a list of objects of another context becomes a list of this context's objects", arguments: Engine.allCases)
  func wholeList(_ engine: Engine) throws {
    let store = try store(engine)
    let (here, there) = (store.context(), store.context())
    let theirs = try there.one("corner", Shop.self).wares
    let market: Shop = try here.one("market")
    market.wares = theirs
    #expect(market.wares == theirs)
    #expect(market.wares.allSatisfy { $0.modelContext === here })
    try here.save()
    #expect(try store.context().one("market", Shop.self).wares.names == letters("ab"))
  }

  @Test(
    "objects of another context are replaced in one-to-one and many-to-many relationships", arguments: Engine.allCases)
  func otherKinds(_ engine: Engine) throws {
    let store = try store(engine)
    let (here, there) = (store.context(), store.context())
    try here.one("Ada", Driver.self).car = try there.one("Austin")
    try here.one("Bob", Student.self).courses = [try there.one("x")]
    #expect(try here.one("Austin", Car.self).driver?.name == "Ada")
    #expect(try here.one("x", Course.self).students.names == ["Bob"])
    try here.save()
    #expect(try store.context().one("Austin", Car.self).driver?.name == "Ada")
    #expect(try store.context().one("x", Course.self).students.names == ["Bob"])
  }

  @Test(
    "relating a new object of another context changes nothing, and the save throws an error that names both",
    arguments: Engine.allCases)
  func unsaved(_ engine: Engine) throws {
    let store = try store(engine)
    let (here, there) = (store.context(), store.context())
    let theirs = Ware("theirs")
    there.insert(theirs)
    let corner: Shop = try here.one("corner")
    corner.wares.append(theirs)
    #expect(corner.wares.names == letters("ab"))
    #expect(theirs.shop == nil)
    try expectRefusal(here, naming: ["Shop", "wares", "Ware"])
    theirs.shop = corner
    #expect(theirs.shop?.modelContext === there)
    try there.save()
    #expect(try store.context().one("corner", Shop.self).wares.names == letters("ab") + ["theirs"])
  }

  @Test("a list with one object that cannot be related is rejected as a whole", arguments: Engine.allCases)
  func mixedList(_ engine: Engine) throws {
    let store = try store(engine)
    let (here, there) = (store.context(), store.context())
    let theirs = Ware("theirs")
    there.insert(theirs)
    let market: Shop = try here.one("market")
    market.wares = [try here.one("a"), theirs]
    #expect(market.wares.isEmpty)
    #expect(try here.one("corner", Shop.self).wares.names == letters("ab"))
    try expectRefusal(here, naming: ["Shop", "wares", "Ware"])
  }

  @Test(
    "relating an object of another container changes nothing, and the save throws an error that names both",
    arguments: Engine.allCases)
  func otherContainer(_ engine: Engine) throws {
    let store = try store(engine)
    let elsewhere = try self.store(engine)
    let (here, there) = (store.context(), elsewhere.context())
    let ware: Ware = try here.one("a")
    ware.shop = try there.one("market")
    #expect(ware.shop?.name == "corner")
    try expectRefusal(here, naming: ["Ware", "shop", "Shop"])
    try here.one("Ada", Driver.self).car = try there.one("Austin")
    #expect(try here.one("Ada", Driver.self).car == nil)
    try expectRefusal(here, naming: ["Driver", "car", "Car"])
    try here.save()
    #expect(try elsewhere.context().one("market", Shop.self).wares.isEmpty)
    #expect(!there.hasChanges)
  }

  @Test("a save throws if a new object relates to an object of another container", arguments: Engine.allCases)
  func newObject(_ engine: Engine) throws {
    let store = try store(engine)
    let elsewhere = try self.store(engine)
    let (here, there) = (store.context(), elsewhere.context())
    let shop: Shop = try there.one("market")
    let ware = Ware("new")
    here.insert(ware)
    ware.shop = shop
    #expect(ware.shop == nil)
    try expectRefusal(here, naming: ["Ware", "shop", "Shop"])
    #expect(shop.wares.isEmpty)
  }

  @Test("relating to a row that another context deleted sets nil or makes the save throw", arguments: Engine.allCases)
  func gone(_ engine: Engine) throws {
    let store = try store(engine)
    let (here, there) = (store.context(), store.context())
    let ware: Ware = try here.one("a")
    let market: Shop = try here.one("market")
    there.delete(try there.one("market", Shop.self))
    try there.save()
    ware.shop = market
    do {
      try here.save()
      #expect(try store.context().one("a", Ware.self).shop == nil)
    } catch {
      #expect(error is SwiftDataError)
      #expect(try store.context().one("a", Ware.self).shop?.name == "corner")
    }
  }

  private func expectRefusal(
    _ context: ModelContext, naming names: [String], location: SourceLocation = #_sourceLocation
  ) throws {
    let error = #expect(throws: SwiftDataError.self, sourceLocation: location) { try context.save() }
    guard let error else { return }
    #expect(error == .modelOfAnotherContext, sourceLocation: location)
    for name in names { #expect("\(error)".contains(name), "\(error)", sourceLocation: location) }
  }
}
