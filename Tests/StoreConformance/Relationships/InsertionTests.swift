import SwiftData
import Testing

@Suite("Inserting related objects", .serialized)
struct RelatedInsertionTests {
  @Test("inserting one object inserts all objects that it reaches through relationships", arguments: Engine.allCases)
  func reach(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let student = Student("Ada")
    let courses = named("abc") { Course($0) }
    student.courses = [courses[0], courses[1]]
    let other = Student("Bob")
    other.courses = [courses[1], courses[2]]
    context.insert(student)
    #expect(context.insertedModelsArray.count == 5)
    #expect(other.modelContext === context)
    try context.save()
    #expect(try store.context().names(of: Course.self) == letters("abc"))
    #expect(try store.context().one("Bob", Student.self).courses.names == letters("bc"))
  }

  @Test("relating a new object to an inserted one inserts the new object", arguments: Engine.allCases)
  func relate(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let shop = Shop("corner")
    context.insert(shop)
    let wares = named("abcd") { Ware($0) }
    shop.wares = [wares[0]]
    shop.wares.append(wares[1])
    wares[2].shop = shop
    try #require(!shop.wares.isEmpty)
    shop.wares[0].shop = nil
    #expect(wares.prefix(3).allSatisfy { $0.modelContext === context })
    #expect(wares[3].modelContext == nil)
    try context.save()
    #expect(try store.context().names(of: Ware.self) == letters("abc"))
    #expect(try store.context().one("corner", Shop.self).wares.names == letters("bc"))
  }

  @Test(
    "relating an inserted object to a new one inserts the new one with its related objects", arguments: Engine.allCases)
  func relateOwner(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let ware = Ware("a")
    context.insert(ware)
    let shop = Shop("corner")
    shop.wares = [Ware("b")]
    ware.shop = shop
    #expect(context.insertedModelsArray.count == 3)
    try context.save()
    #expect(try store.context().one("corner", Shop.self).wares.names == letters("ba"))
  }

  @Test("inserting both ends, and one of them twice, inserts each once", arguments: Engine.allCases)
  func bothEnds(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let shop = Shop("corner")
    let ware = Ware("a")
    ware.shop = shop
    context.insert(ware)
    context.insert(shop)
    context.insert(ware)
    #expect(context.insertedModelsArray.count == 2)
    try context.save()
    context.insert(shop)
    try context.save()
    #expect(try store.context().names(of: Shop.self) == ["corner"])
    #expect(try store.context().one("corner", Shop.self).wares.names == ["a"])
  }

  @Test("relationships set by an initialiser have both ends after the insertion", arguments: Engine.allCases)
  func initializer(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let shop = Shop("corner", wares: named("abc") { Ware($0) })
    context.insert(shop)
    #expect(shop.wares.allSatisfy { $0.shop === shop })
    let ware = Ware("d", shop: shop)
    context.insert(ware)
    #expect(shop.wares.names == letters("abcd"))
    let receipt = Receipt("receipt")
    context.insert(receipt)
    let lines = named("ab") { ReceiptLine($0, receipt: receipt) }
    for line in lines { context.insert(line) }
    #expect(receipt.lines.names == letters("ab"))
    try context.save()
    let other = store.context()
    #expect(try other.one("corner", Shop.self).wares.names == letters("abcd"))
    #expect(try other.one("receipt", Receipt.self).lines.names == letters("ab"))
  }

  @Test("an initialiser that relates an object of another list moves it", arguments: Engine.allCases)
  func initializerMoves(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let wares = named("ab") { Ware($0) }
    let first = Shop("first", wares: wares)
    context.insert(first)
    let second = Shop("second", wares: [wares[0]])
    context.insert(second)
    #expect(first.wares.names == ["b"])
    #expect(second.wares.names == ["a"])
    #expect(wares[0].shop === second)
    try context.save()
    #expect(try store.context().one("first", Shop.self).wares.names == ["b"])
  }

  @Test("an object that is deleted before its first save is in no list", arguments: Engine.allCases)
  func takenBack(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    try store.keep(Shop("corner", wares: [Ware("a")]))
    let context = store.context()
    let shop: Shop = try context.one("corner")
    let ware = Ware("b")
    shop.wares.append(ware)
    context.delete(ware)
    #expect(shop.wares.names == ["a"])
    try context.save()
    #expect(try store.context().names(of: Ware.self) == ["a"])
  }

  @Test("an identifier from before the first save finds the related object after it", arguments: Engine.allCases)
  func identifiers(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let shop = Shop("corner", wares: [Ware("a")])
    context.insert(shop)
    let early = shop.wares[0].persistentModelID
    try context.save()
    try #require(!shop.wares.isEmpty)
    #expect(shop.wares[0].persistentModelID == early)
    #expect(context[early, as: Ware.self] === shop.wares[0])
    #expect(Set([early]).contains(shop.wares[0].persistentModelID))
  }

  @Test("two objects that refer to each other are saved together", arguments: Engine.allCases)
  func cycle(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let people = named("abc") { Person($0) }
    people[0].friends = [people[1], people[2]]
    people[1].friends.append(people[2])
    people[0].partner = people[1]
    try store.keep(people[2])
    let reader = store.context()
    let found: Person = try reader.one("a")
    #expect(found.friends.names == letters("bc"))
    #expect(found.partner?.partner === found)
    #expect(found.modelContext === reader)
  }
}
