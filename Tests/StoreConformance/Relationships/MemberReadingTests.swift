import SwiftData
import Testing

/// Reading the list of one object, whose rows need not say whose they are; and of so many that their objects wait for the
/// table of the context in groups.
@Suite("Reading lists")
struct MemberReadingTests {
  @Test("what was known under another owner is the list's owner's, when its row was moved meanwhile")
  func moved() throws {
    let store = try TestStore(.file, graphModels)
    let context = store.context()
    context.insert(Shop("old", wares: [Ware("a"), Ware("b")]))
    context.insert(Shop("new", wares: [Ware("c")]))
    try context.save()
    let reader = store.context()
    let moved: Ware = try reader.one("a")
    let changed: Ware = try reader.one("c")
    let new: Shop = try reader.one("new")
    #expect(moved.shop?.name == "old")
    changed.name = "changed"
    let path = store.configuration.url.path(percentEncoded: false)
    let raw = try RawDatabase(path)
    _ = try raw.rows(
      "UPDATE Ware SET shop = (SELECT _osd_key FROM Shop WHERE name = 'new'), name = 'moved' WHERE name = 'a'")
    #expect(Set(new.wares.names) == ["moved", "changed"])
    #expect(moved.shop === new)
    #expect(changed.shop === new)
    #expect(!moved.hasChanges)
  }

  @Test("what waits to be saved under another owner stays there", arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    context.insert(Shop("old", wares: [Ware("a"), Ware("b")]))
    context.insert(Shop("new"))
    try context.save()
    let reader = store.context()
    let moved: Ware = try reader.one("a")
    let (old, new): (Shop, Shop) = (try reader.one("old"), try reader.one("new"))
    moved.shop = new
    #expect(old.wares.names == ["b"])
    #expect(new.wares.names == ["a"])
    #expect(moved.shop === new)
  }

  @Test("objects that were fetched in part are whole, and have their owner", arguments: Engine.allCases)
  func partial(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    context.insert(Shop("s", wares: [Ware("a"), Ware("b")]))
    try context.save()
    let reader = store.context()
    var descriptor = FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.name)])
    descriptor.propertiesToFetch = [\.name]
    let wares = try reader.fetch(descriptor)
    let shop: Shop = try reader.one("s")
    #expect(shop.wares.names == ["a", "b"])
    #expect(wares.allSatisfy { $0.shop === shop })
  }

  @Test("the order that a list was left in is the same for one owner and for many", arguments: Engine.allCases)
  func order(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    for name in ["x", "y"] {
      let shop = Shop(name, wares: (0..<40).map { Ware("\(name)\($0)") })
      context.insert(shop)
      try context.save()
      shop.wares.reverse()
      shop.wares.swapAt(3, 30)
      try context.save()
    }
    var names = (0..<40).reversed().map { "\($0)" }
    names.swapAt(3, 30)
    let alone: Shop = try store.context().one("y")
    #expect(alone.wares.names == names.map { "y\($0)" })
    let together = try store.context().fetch(FetchDescriptor<Shop>(sortBy: [SortDescriptor(\.name)]))
    #expect(together.map(\.wares.names) == ["x", "y"].map { name in names.map { "\(name)\($0)" } })
  }

  @Test("an object that many lists hold is one object", arguments: Engine.allCases)
  func shared(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    let courses = (0..<600).map { Course("c\($0)") }
    for course in courses { context.insert(course) }
    for number in 0..<12 {
      let student = Student("s\(number)")
      context.insert(student)
      student.courses = (0..<300).map { courses[(number * 37 + $0 * 2) % 600] }
    }
    try context.save()
    let reader = store.context()
    let students = try reader.fetch(FetchDescriptor<Student>())
    let held = students.flatMap(\.courses)
    #expect(held.count == 3_600)
    #expect(Set(held.map(ObjectIdentifier.init)).count == Set(held.map(\.name)).count)
    let fetched = try reader.fetch(FetchDescriptor<Course>())
    #expect(fetched.count == 600)
    #expect(Set(held.map(ObjectIdentifier.init)).isSubset(of: Set(fetched.map(ObjectIdentifier.init))))
  }

  @Test("rows that refer to rows before them find their objects", arguments: Engine.allCases)
  func chain(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    var parent: Folder?
    for number in 0..<700 {
      let folder = Folder("\(number)")
      context.insert(folder)
      folder.parent = parent
      parent = folder
    }
    try context.save()
    let reader = store.context()
    let folders = try reader.fetch(FetchDescriptor<Folder>())
    #expect(folders.count == 700)
    let named = Dictionary(uniqueKeysWithValues: folders.map { ($0.name, $0) })
    let astray = (0..<700).filter { named["\($0)"]?.parent !== named["\($0 - 1)"] }
    #expect(astray.isEmpty)
  }

  @Test("objects that go while others are read leave their places", arguments: Engine.allCases)
  func going(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let context = store.context()
    for number in 0..<1_000 { context.insert(Ware("\(number)")) }
    try context.save()
    let reader = store.context()
    for round in 0..<5 {
      var descriptor = FetchDescriptor<Ware>()
      descriptor.fetchOffset = round * 150
      descriptor.fetchLimit = 400
      let first = try reader.fetch(descriptor)
      let again = try reader.fetch(descriptor)
      #expect(zip(first, again).allSatisfy { $0 === $1 })
    }
    #expect(try reader.fetch(FetchDescriptor<Ware>()).count == 1_000)
  }
}
