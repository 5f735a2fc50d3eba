import SwiftData
import Testing

/// If the list of one owner is read, its rows are read without the reference to the owner. If the lists of many owners
/// are read together, the members are added to the identity map in groups. These tests cover both cases.
@Suite("Reading the members of lists")
struct MemberReadingTests {
  @Test("reading a list updates the owner of a registered object whose row moved to that list")
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

  @Test("an object with an unsaved change of its owner keeps that change", arguments: Engine.allCases)
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

  @Test("partially fetched objects return their owner after its list was read", arguments: Engine.allCases)
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

  @Test("the order of a list is the same whether one owner or many are read", arguments: Engine.allCases)
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

  @Test("a row in many lists is one object", arguments: Engine.allCases)
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

  @Test("a reference to an earlier row of the same fetch returns the object of that row", arguments: Engine.allCases)
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

  @Test(
    "a fetch whose rows partly have objects already returns these objects for their rows", arguments: Engine.allCases)
  func overlapping(_ engine: Engine) throws {
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

/// The rows of one owner's list are read without the reference to the owner. These models have columns of several kinds
/// before and after this reference, and each value must still be read from its own column.
@Suite("Reading lists whose members have structs, constants and external files beside the reference to their owner")
struct MemberColumnTests {
  private static let models: [any PersistentModel.Type] = [Depot.self, Pallet.self, Slip.self]

  private func filled(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, Self.models)
    let context = store.context()
    for name in ["x", "y"] {
      let depot = Depot(name)
      context.insert(depot)
      for number in 0..<30 {
        context.insert(Pallet(number, depot))
        context.insert(Slip("\(name)\(number)", depot))
      }
    }
    try context.save()
    return store
  }

  private func expectAll(_ depots: [Depot], location: SourceLocation = #_sourceLocation) {
    for depot in depots {
      #expect(depot.pallets.map(\.number) == Array(0..<30), sourceLocation: location)
      #expect(depot.slips.map(\.text) == (0..<30).map { "\(depot.name)\($0)" }, sourceLocation: location)
      for pallet in depot.pallets {
        #expect(pallet.depot === depot, sourceLocation: location)
        #expect(pallet.size == PalletSize(width: Double(pallet.number), height: 2), sourceLocation: location)
        #expect(pallet.label == "label \(pallet.number)", sourceLocation: location)
        #expect(pallet.picture == Data([UInt8(pallet.number)]), sourceLocation: location)
        #expect(pallet.note == (pallet.number % 2 == 0 ? nil : "note"), sourceLocation: location)
      }
      for slip in depot.slips { #expect(slip.depot === depot, sourceLocation: location) }
    }
  }

  @Test(
    "the members of one list have all values, whether the list creates, knows or completes their objects",
    arguments: Engine.allCases)
  func alone(_ engine: Engine) throws {
    let store = try filled(engine)
    let fresh = store.context()
    let names = ["x", "y"]
    let depots = try names.map { name in
      try #require(try fresh.fetch(FetchDescriptor<Depot>(predicate: #Predicate { $0.name == name })).first)
    }
    expectAll(depots)
    let knowing = store.context()
    var part = FetchDescriptor<Pallet>()
    part.propertiesToFetch = [\.number, \.note]
    let (pallets, slips) = (try knowing.fetch(part), try knowing.fetch(FetchDescriptor<Slip>()))
    let known = try names.map { name in
      try #require(try knowing.fetch(FetchDescriptor<Depot>(predicate: #Predicate { $0.name == name })).first)
    }
    expectAll(known)
    #expect(Set(known.flatMap(\.pallets).map(ObjectIdentifier.init)) == Set(pallets.map(ObjectIdentifier.init)))
    #expect(Set(known.flatMap(\.slips).map(ObjectIdentifier.init)) == Set(slips.map(ObjectIdentifier.init)))
    #expect(!knowing.hasChanges)
  }

  @Test("the members of lists that are read together have all values", arguments: Engine.allCases)
  func together(_ engine: Engine) throws {
    let context = try filled(engine).context()
    expectAll(try context.fetch(FetchDescriptor<Depot>()))
  }

  @Test(
    "moving a model with hand-written conformance removes it from the list of its former owner",
    arguments: Engine.allCases)
  func movedByHand(_ engine: Engine) throws {
    let context = try filled(engine).context()
    let (x, y) = ("x", "y")
    let former = try #require(try context.fetch(FetchDescriptor<Depot>(predicate: #Predicate { $0.name == x })).first)
    let next = try #require(try context.fetch(FetchDescriptor<Depot>(predicate: #Predicate { $0.name == y })).first)
    let slip = try #require(former.slips.first)
    next.slips.append(slip)
    #expect(slip.depot === next)
    #expect(former.slips.count == 29)
    try context.save()
    #expect(next.slips.last === slip)
  }

  @Test("a list with a damaged row has all members and leaves only the damaged value unread, and no object leaks")
  func damaged() throws {
    let store = try filled(.file)
    let raw = try RawDatabase(store.configuration.url.path(percentEncoded: false))
    weak var context: ModelContext?
    weak var owner: Depot?
    do {
      let reader = store.context()
      context = reader
      let name = "x"
      let depot = try #require(
        try reader.fetch(FetchDescriptor<Depot>(predicate: #Predicate { $0.name == name })).first)
      owner = depot
      _ = try raw.rows("UPDATE Pallet SET size_width = 'wide' WHERE number = 21")
      #expect(depot.pallets.map(\.number) == Array(0..<30))
      #expect(reader.unreadErrors.first?.contains("the column size_width has the text 'wide'") == true)
      _ = try raw.rows("UPDATE Pallet SET size_width = 21 WHERE number = 21")
      #expect(depot.pallets[21].size.width == 21 && reader.unreadValues.isEmpty)
      #expect(try reader.fetch(FetchDescriptor<Pallet>()).prefix(30).elementsEqual(depot.pallets) { $0 === $1 })
    }
    #expect(context == nil)
    #expect(owner == nil)
  }
}
