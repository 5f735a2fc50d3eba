import SwiftData
import Testing

@Suite("Delete rule: nullify", .serialized)
struct NullifyTests {
  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, graphModels)
    try store.keep(Shop("corner", wares: named("abc") { Ware($0) }))
    return store
  }

  @Test("the inverse is nil immediately, and in the store after the save", arguments: Engine.allCases)
  func owner(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let ware: Ware = try context.one("a")
    context.delete(try context.one("corner", Shop.self))
    #expect(ware.shop == nil)
    #expect(try context.fetch(FetchDescriptor<Ware>()).allSatisfy { $0.shop == nil })
    #expect(try store.context().one("a", Ware.self).shop?.name == "corner")
    try context.save()
    #expect(ware.shop == nil)
    #expect(try store.context().names(of: Ware.self) == letters("abc"))
    #expect(try store.context().fetch(FetchDescriptor<Ware>()).allSatisfy { $0.shop == nil })
  }

  @Test(
    "a deleted element leaves a list immediately, whether the list was read or not", arguments: Engine.allCases,
    [true, false])
  func element(_ engine: Engine, _ isRead: Bool) throws {
    let store = try store(engine)
    let context = store.context()
    let shop: Shop = try context.one("corner")
    if isRead { #expect(shop.wares.count == 3) }
    context.delete(try context.one("b", Ware.self))
    #expect(shop.wares.names == letters("ac"))
    try context.save()
    #expect(shop.wares.names == letters("ac"))
    #expect(try store.context().one("corner", Shop.self).wares.names == letters("ac"))
  }

  @Test("a deleted object keeps its last values, and its relationships stay readable", arguments: Engine.allCases)
  func lastValues(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let shop: Shop = try context.one("corner")
    _ = shop.wares
    context.delete(shop)
    #expect(shop.name == "corner")
    _ = shop.wares.map(\.name)
    try context.save()
    #expect(shop.name == "corner")
    _ = shop.wares.map(\.name)
  }

  @Test(
    "a required reference to the deleted object makes the save throw, naming both ends",
    arguments: Engine.allCases)
  func required(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let receipt = Receipt("receipt")
    try store.keep(ReceiptLine("a", receipt: receipt), ReceiptLine("b", receipt: receipt))
    let context = store.context()
    let line: ReceiptLine = try context.one("a")
    context.delete(try context.one("receipt", Receipt.self))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    let words = "\(try #require(error))"
    #expect(words.contains("ReceiptLine") && words.contains("Receipt") && words.contains("receipt"), "\(words)")
    #expect(line.receipt.name == "receipt")
    #expect(context.deletedModelsArray.count == 1)
    #expect(try store.context().one("receipt", Receipt.self).lines.names == letters("ab"))
  }

  @Test(
    "the save succeeds if the referring object is deleted too, or gets another reference", arguments: Engine.allCases)
  func requiredResolved(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let receipt = Receipt("receipt")
    try store.keep(ReceiptLine("a", receipt: receipt), ReceiptLine("b", receipt: receipt), Receipt("other"))
    let context = store.context()
    context.delete(try context.one("receipt", Receipt.self))
    context.delete(try context.one("a", ReceiptLine.self))
    try context.one("b", ReceiptLine.self).receipt = try context.one("other")
    try context.save()
    #expect(try store.context().names(of: Receipt.self) == ["other"])
    #expect(try store.context().one("other", Receipt.self).lines.names == ["b"])
  }

  @Test("all of several relationships to one object are set to nil", arguments: Engine.allCases)
  func several(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let airport = Airport("Oslo")
    let flight = Flight("a")
    flight.origin = airport
    flight.destination = airport
    try store.keep(flight)
    let context = store.context()
    context.delete(try context.one("Oslo", Airport.self))
    try context.save()
    let found: Flight = try store.context().one("a")
    #expect(found.origin == nil && found.destination == nil)
  }

  @Test("objects that refer to each other can be deleted together", arguments: Engine.allCases)
  func together(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let people = named("abc") { Person($0) }
    people[0].friends = [people[1], people[2]]
    people[0].partner = people[1]
    try store.keep(people[0])
    let context = store.context()
    context.delete(try context.one("a", Person.self))
    context.delete(try context.one("b", Person.self))
    try context.save()
    let left: Person = try store.context().one("c")
    #expect(left.friends.isEmpty)
  }

  @Test("references that another context set meanwhile become nil", arguments: Engine.allCases)
  func meanwhile(_ engine: Engine) throws {
    let store = try store(engine)
    try store.keep(Ware("late"))
    let (here, there) = (store.context(), store.context())
    here.delete(try here.one("corner", Shop.self))
    try there.one("late", Ware.self).shop = try there.one("corner")
    try there.save()
    try here.save()
    #expect(try store.context().one("late", Ware.self).shop == nil)
  }
}
