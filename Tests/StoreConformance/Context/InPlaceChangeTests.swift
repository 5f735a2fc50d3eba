import SwiftData
import Testing

@Suite("Code that uses the context during an in-place change", .serialized)
@MainActor
struct InPlaceChangeTests {
  private func shops(_ engine: Engine) throws -> (store: TestStore, context: ModelContext, corner: Shop) {
    let store = try TestStore(engine, graphModels)
    try store.keep(Shop("corner", wares: named("abc") { Ware($0) }), Shop("market"), Shop("empty"))
    let context = store.context()
    return (store, context, try context.one("corner"))
  }

  private func storedWares(_ store: TestStore) throws -> [String] {
    try store.context().one("corner", Shop.self).wares.names
  }

  // MARK: Lists

  @Test("a save inside a list's removeAll leaves the removal pending for the next save", arguments: Engine.allCases)
  func list(_ engine: Engine) throws {
    let (store, context, corner) = try shops(engine)
    let wares = corner.wares
    try corner.wares.removeAll { ware in
      if ware.name == "b" { try context.save() }
      return ware.name != "c"
    }
    #expect(corner.wares.names == ["c"] && wares[0].shop == nil && wares[1].shop == nil)
    #expect(context.hasChanges)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try storedWares(store) == ["c"])
  }

  @Test(
    "a due autosave inside a list's removeAll leaves the removal pending for the next save", arguments: Engine.allCases)
  func autosave(_ engine: Engine) throws {
    let (store, context, corner) = try shops(engine)
    let clock = ManualClock()
    context.autosaveClock = clock
    context.autosaveEnabled = true
    let wares = corner.wares
    corner.name = "changed"
    clock.pass(.seconds(0.7))
    try corner.wares.removeAll { try context.fetchCount(FetchDescriptor<Shop>()) == 3 && $0.name == "a" }
    #expect(wares[0].shop == nil)
    try context.save()
    #expect(try store.context().one("changed", Shop.self).wares.names == ["b", "c"])
  }

  @Test("a list's new order is saved if a save runs inside its removeAll", arguments: Engine.allCases)
  func order(_ engine: Engine) throws {
    let (store, context, corner) = try shops(engine)
    corner.wares.swapAt(0, 2)
    try corner.wares.removeAll { ware in
      if ware.name == "b" { try context.save() }
      return false
    }
    try context.save()
    #expect(try storedWares(store) == ["c", "b", "a"])
  }

  @Test(
    "a save inside removeAll on a new object's list stores its pairs, and the next save stores the removal",
    arguments: Engine.allCases)
  func newObject(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let course = Course("course")
    course.students = named("abc") { Student($0) }
    context.insert(course)
    try course.students.removeAll { student in
      if student.name == "b" {
        try context.save()
        #expect(try store.context().one("course", Course.self).students.names == ["a", "b", "c"])
      }
      return student.name == "a"
    }
    try context.save()
    #expect(try store.context().one("course", Course.self).students.names == ["b", "c"])
  }

  @Test("removeAll may delete each member and save", arguments: Engine.allCases)
  func deletion(_ engine: Engine) throws {
    let (store, context, corner) = try shops(engine)
    try corner.wares.removeAll { ware in
      context.delete(ware)
      try context.save()
      return true
    }
    try context.save()
    #expect(corner.wares.isEmpty && !context.hasChanges)
    #expect(try store.context().fetchCount(FetchDescriptor<Ware>()) == 0)
  }

  @Test("code inside a list's removeAll reads the list's old value", arguments: Engine.allCases)
  func reading(_ engine: Engine) throws {
    let (store, context, corner) = try shops(engine)
    let wares = corner.wares
    corner.wares.removeAll { corner.wares.count == 3 && $0.name == "a" }
    #expect(corner.wares.names == ["b", "c"] && wares[0].shop == nil)
    try context.save()
    #expect(try storedWares(store) == ["b", "c"])
  }

  @Test("a rollback inside a list's removeAll does not undo the removal", arguments: Engine.allCases)
  func rollback(_ engine: Engine) throws {
    let (store, context, corner) = try shops(engine)
    let wares = corner.wares
    corner.name = "changed"
    corner.wares.removeAll { ware in
      if ware.name == "b" { context.rollback() }
      return ware.name == "a"
    }
    #expect(corner.name == "corner" && corner.wares.names == ["b", "c"] && wares[0].shop == nil)
    try context.save()
    #expect(try storedWares(store) == ["b", "c"])
  }

  // MARK: Attributes

  private func letter(_ engine: Engine) throws -> (store: TestStore, context: ModelContext, letter: Letter) {
    let store = try TestStore(engine, letterModels)
    let context = store.context()
    let letter = Letter("text")
    letter.tags = ["a", "b"]
    context.insert(letter)
    try context.save()
    return (store, context, letter)
  }

  private func storedTags(_ store: TestStore) throws -> [String] {
    try store.context().fetch(FetchDescriptor<Letter>()).flatMap(\.tags)
  }

  @Test("a save inside an attribute's removeAll throws, and no change is lost", arguments: Engine.allCases)
  func value(_ engine: Engine) throws {
    let (store, context, letter) = try letter(engine)
    letter.tags.removeAll { tag in
      #expect(letter.tags == ["a", "b"])
      #expect(throws: SwiftDataError.valueNotStorable) { try context.save() }
      return tag == "a"
    }
    #expect(letter.tags == ["b"])
    #expect(try storedTags(store) == ["a", "b"])
    try context.save()
    #expect(try storedTags(store) == ["b"])
  }

  @Test("a rollback inside an attribute's removeAll does not undo the removal", arguments: Engine.allCases)
  func rolledBackValue(_ engine: Engine) throws {
    let (store, context, letter) = try letter(engine)
    letter.text = "changed"
    letter.tags.removeAll { tag in
      context.rollback()
      return tag == "a"
    }
    #expect(letter.text == "text" && letter.tags == ["b"] && letter.hasChanges)
    try context.save()
    #expect(try storedTags(store) == ["b"])
  }

  @Test(
    "a rollback during an inout assignment of a reference keeps the new reference and updates both inverses",
    arguments: Engine.allCases)
  func reference(_ engine: Engine) throws {
    func set(_ shop: inout Shop?, to other: Shop, after body: () -> Void) {
      body()
      shop = other
    }
    let (store, context, corner) = try shops(engine)
    let (market, empty): (Shop, Shop) = (try context.one("market"), try context.one("empty"))
    let ware = corner.wares[0]
    ware.shop = empty
    set(&ware.shop, to: market) { context.rollback() }
    #expect(corner.wares.names == ["b", "c"] && empty.wares.isEmpty && market.wares == [ware])
    try context.save()
    #expect(try storedWares(store) == ["b", "c"])
    #expect(try store.context().one("market", Shop.self).wares.names == ["a"])
  }
}
