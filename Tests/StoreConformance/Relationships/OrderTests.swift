import SwiftData
import Testing

@Suite("The order of the members of to-many relationships", .serialized)
struct OrderTests {
  private func wares(_ store: TestStore, of shop: String = "corner") throws -> String {
    let context = store.context()
    return try context.one(shop, Shop.self).wares.names.joined()
  }

  private func store(_ engine: Engine, _ wares: String) throws -> TestStore {
    let store = try TestStore(engine, graphModels)
    try store.keep(Shop("corner", wares: named(wares) { Ware($0) }))
    return store
  }

  @Test("members keep the order of the list, even if they were created in another order", arguments: Engine.allCases)
  func madeInAnotherOrder(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let wares = named("abcdef") { Ware($0) }
    for ware in wares { context.insert(ware) }
    try context.save()
    let shop = Shop("corner")
    context.insert(shop)
    for index in [3, 0, 5, 1, 4, 2] { shop.wares.append(wares[index]) }
    try context.save()
    #expect(shop.wares.names.joined() == "dafbec")
    try store.reopen()
    #expect(try self.wares(store) == "dafbec")
  }

  @Test("each of 40 successive saves stores the changed order of the list", arguments: Engine.allCases)
  func manySaves(_ engine: Engine) throws {
    let store = try store(engine, "abcdefgh")
    let context = store.context()
    let shop: Shop = try context.one("corner")
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<40 {
      let from = Int.random(in: 0..<8, using: &generator)
      let to = Int.random(in: 0..<8, using: &generator)
      try #require(shop.wares.count == 8)
      let ware = shop.wares.remove(at: from)
      shop.wares.insert(ware, at: to)
      let wanted = shop.wares.names.joined()
      try context.save()
      #expect(shop.wares.names.joined() == wanted)
      #expect(try wares(store) == wanted)
    }
  }

  @Test(
    "removing members at any position, through the list or their references, keeps the order of the other members",
    arguments: Engine.allCases)
  func takingOut(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    var wanted = (0..<300).map { "\($0)" }
    try store.keep(Shop("corner", wares: wanted.map { Ware($0) }))
    let context = store.context()
    let shop: Shop = try context.one("corner")
    var generator = SeededGenerator(seed: 2)
    for round in 0..<40 {
      // Removes few or many members at once, through the list or through the references of the members.
      for _ in 0...(round % 8) {
        let place = Int.random(in: 0..<wanted.count, using: &generator)
        try #require(shop.wares.count == wanted.count)
        if round.isMultiple(of: 2) { shop.wares.remove(at: place) } else { shop.wares[place].shop = nil }
        wanted.remove(at: place)
      }
      let before = shop.wares
      if round.isMultiple(of: 3) {
        for ware in before.suffix(6) { ware.shop = nil }
        wanted.removeLast(6)
      }
      try context.save()
      #expect(shop.wares.names == wanted)
      #expect(before.count >= wanted.count && before.prefix(wanted.count).map(\.name) == wanted)
    }
    #expect(try store.context().one("corner", Shop.self).wares.names == wanted)
  }

  @Test("200 insertions at the same position keep the order", arguments: Engine.allCases)
  func samePlace(_ engine: Engine) throws {
    let store = try store(engine, "az")
    let context = store.context()
    let shop: Shop = try context.one("corner")
    var wanted = letters("az")
    for number in 0..<200 {
      try #require(!shop.wares.isEmpty)
      shop.wares.insert(Ware("\(number)"), at: 1)
      wanted.insert("\(number)", at: 1)
      if number % 7 == 0 { try context.save() }
    }
    try context.save()
    #expect(shop.wares.names == wanted)
    #expect(try store.context().one("corner", Shop.self).wares.names == wanted)
  }

  @Test("repeated insertions at the start keep the order", arguments: Engine.allCases)
  func start(_ engine: Engine) throws {
    let store = try store(engine, "a")
    for letter in letters("bcdef") {
      let context = store.context()
      try context.one("corner", Shop.self).wares.insert(Ware(letter), at: 0)
      try context.save()
    }
    #expect(try wares(store) == "fedcba")
  }

  @Test(
    "an object that moves to another list gets the position at which it was inserted, and no other object moves",
    arguments: Engine.allCases)
  func between(_ engine: Engine) throws {
    let store = try store(engine, "abcd")
    try store.keep(Shop("market", wares: named("xyz") { Ware($0) }))
    let context = store.context()
    let corner: Shop = try context.one("corner")
    let market: Shop = try context.one("market")
    try #require(corner.wares.count == 4 && market.wares.count == 3)
    market.wares.insert(corner.wares[1], at: 1)
    corner.wares.append(market.wares[2])
    try context.save()
    #expect(try wares(store) == "acdy")
    #expect(try wares(store, of: "market") == "xbz")
  }

  @Test("an object that is removed and appended again is last", arguments: Engine.allCases)
  func comeBack(_ engine: Engine) throws {
    let store = try store(engine, "abc")
    let context = store.context()
    let ware: Ware = try context.one("a")
    let shop = ware.shop
    ware.shop = nil
    try context.save()
    ware.shop = shop
    try context.save()
    #expect(shop?.wares.names == letters("bca"))
    #expect(try wares(store) == "bca")
  }

  @Test("deleting a member keeps the order of the other members", arguments: Engine.allCases)
  func deleted(_ engine: Engine) throws {
    let store = try store(engine, "dcba")
    let context = store.context()
    context.delete(try context.one("c", Ware.self))
    try context.one("corner", Shop.self).wares.append(Ware("e"))
    try context.save()
    #expect(try wares(store) == "dbae")
  }

  @Test(
    "if two contexts append objects, the list contains both objects, in the same order for every context",
    arguments: Engine.allCases)
  func twoContexts(_ engine: Engine) throws {
    let store = try store(engine, "ab")
    let (here, there) = (store.context(), store.context())
    try here.one("corner", Shop.self).wares.append(Ware("c"))
    try there.one("corner", Shop.self).wares.append(Ware("d"))
    try here.save()
    try there.save()
    let order = try wares(store)
    #expect(order.hasPrefix("ab") && order.count == 4 && Set(order) == Set("abcd"), "\(order)")
    #expect(try wares(store) == order)
  }

  @Test("a save stores the shuffled order of a list of 3,000 members", arguments: Engine.allCases)
  func long(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let shop = Shop("corner", wares: (0..<3000).map { Ware("\($0)") })
    context.insert(shop)
    try context.save()
    var generator = SeededGenerator(seed: 2)
    shop.wares.shuffle(using: &generator)
    let wanted = shop.wares.names
    try context.save()
    #expect(try store.context().one("corner", Shop.self).wares.names == wanted)
  }

  @Test("a list that is read after another context's save has the saved order", arguments: Engine.allCases)
  func elsewhere(_ engine: Engine) throws {
    let store = try store(engine, "abc")
    let there = store.context()
    try there.one("corner", Shop.self).wares.reverse()
    try there.save()
    let here = store.context()
    #expect(try here.one("corner", Shop.self).wares.names == letters("cba"))
  }

  @Test(
    "an appended object is last, even after earlier saves moved one member to the end and removed another",
    arguments: Engine.allCases)
  func lastAfterRemoval(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let student = Student("ada")
    student.courses = named("abc") { Course($0) }
    try store.keep(student)
    for change in [{ $0.courses.append($0.courses.remove(at: 0)) }, { $0.courses.remove(at: 1) }] as [(Student) -> Void]
    {
      let context = store.context()
      try change(context.one("ada", Student.self))
      try context.save()
    }
    let context = store.context()
    let course = Course("d")
    context.insert(course)
    course.students = [try context.one("ada")]
    try context.save()
    #expect(try store.context().one("ada", Student.self).courses.names.joined() == "bad")
  }

  @Test("an object that was moved to the end stays last after other members are removed", arguments: Engine.allCases)
  func lastBeforeRemoval(_ engine: Engine) throws {
    let store = try store(engine, "abcd")
    let context = store.context()
    let shop: Shop = try context.one("corner")
    shop.wares.append(shop.wares.remove(at: 0))
    shop.wares.remove(at: 0)
    #expect(shop.wares.names.joined() == "cda")
    try context.save()
    #expect(try wares(store) == "cda")
    let older = Ware("older")
    context.insert(older)
    try context.save()
    let newer = store.context()
    let market = Shop("market", wares: named("xyz") { Ware($0) })
    newer.insert(market)
    try newer.save()
    let moved = try newer.one("older", Ware.self)
    market.wares.append(moved)
    market.wares.remove(at: 0)
    try newer.save()
    #expect(try wares(store, of: "market") == "yzolder")
  }
}
