import SwiftData
import Synchronization
import Testing

@Suite("ModelContext.delete(model:where:)", .serialized)
struct BatchDeletionTests {
  private func shops(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, graphModels)
    try store.keep(
      Shop("corner", wares: named("ab") { Ware($0) }), Shop("market", wares: [Ware("c")]),
      Shop("empty"))
    return store
  }

  @Test(
    "the save deletes the matching rows, fetches omit them immediately, and other rows are kept",
    arguments: Engine.allCases)
  func predicate(_ engine: Engine) throws {
    let store = try shops(engine)
    let context = store.context()
    try context.delete(model: Ware.self, where: #Predicate { $0.name < "c" })
    #expect(try context.names(of: Ware.self) == ["c"])
    try context.save()
    #expect(try store.context().names(of: Ware.self) == ["c"])
    try context.delete(model: Ware.self)
    try context.save()
    #expect(try store.context().names(of: Ware.self) == [])
    #expect(try store.context().names(of: Shop.self) == ["corner", "empty", "market"])
  }

  @Test(
    "objects that the context has for matching rows are marked as deleted and removed from lists",
    arguments: Engine.allCases)
  func registered(_ engine: Engine) throws {
    let store = try shops(engine)
    let context = store.context()
    let corner: Shop = try context.one("corner")
    let wares = corner.wares
    try context.delete(model: Ware.self, where: #Predicate { $0.name == "a" })
    #expect(wares[0].isDeleted && !wares[1].isDeleted)
    #expect(corner.wares.names == ["b"])
    #expect(wares[0].name == "a")
    try context.save()
    #expect(corner.wares.names == ["b"])
    #expect(try store.context().one("corner", Shop.self).wares.names == ["b"])
  }

  @Test(
    "a list that is first read before the save omits deleted rows, and contains them after a rollback",
    arguments: Engine.allCases)
  func listsReadMeanwhile(_ engine: Engine) throws {
    let store = try shops(engine)
    let context = store.context()
    func delete() throws { try context.delete(model: Ware.self, where: #Predicate { $0.name == "a" }) }
    try delete()
    let corner: Shop = try context.one("corner")
    #expect(corner.wares.names == ["b"])
    context.rollback()
    _ = try context.fetchCount(FetchDescriptor<Shop>())
    #expect(corner.wares.names == ["a", "b"])
    try delete()
    #expect(corner.wares.names == ["b"])
    try context.save()
    #expect(corner.wares.names == ["b"])
    #expect(try store.context().one("corner", Shop.self).wares.names == ["b"])
  }

  @Test(
    "the delete rule nullify sets references to deleted rows to nil, in memory and in the store",
    arguments: Engine.allCases)
  func nullify(_ engine: Engine) throws {
    let store = try shops(engine)
    let context = store.context()
    let ware: Ware = try context.one("a")
    _ = ware.shop
    try context.delete(model: Shop.self, where: #Predicate { $0.name == "corner" })
    #expect(ware.shop == nil)
    try context.save()
    let fresh = store.context()
    #expect(try fresh.names(of: Ware.self) == letters("abc"))
    #expect(try fresh.one("a", Ware.self).shop == nil)
    #expect(try fresh.one("c", Ware.self).shop?.name == "market")
  }

  @Test("the many-to-many pairs of deleted rows are deleted", arguments: Engine.allCases)
  func manyToMany(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    let students = ["Ada", "Bob"].map { Student($0) }
    let courses = named("ab") { Course($0) }
    for student in students { student.courses = courses }
    try store.keep(students[0])
    let context = store.context()
    try context.delete(model: Course.self, where: #Predicate { $0.name == "a" })
    try context.save()
    #expect(try store.context().one("Bob", Student.self).courses.names == ["b"])
    #expect(try store.context().one("b", Course.self).students.names.sorted() == ["Ada", "Bob"])
  }

  @Test(
    "a row is deleted even if an object is added to its list afterwards, and the object is kept",
    arguments: Engine.allCases)
  func addedSince(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    try store.keep(Playlist("p"), Song("s"))
    let context = store.context()
    try context.delete(model: Playlist.self)
    var descriptor = FetchDescriptor<Playlist>()
    descriptor.includePendingChanges = false
    let playlist = try #require(try context.fetch(descriptor).first)
    playlist.songs.append(try context.one("s"))
    try context.save()
    #expect(playlist.isDeleted && !context.hasChanges)
    #expect(try store.context().names(of: Playlist.self) == [])
    #expect(try store.context().names(of: Song.self) == ["s"])
  }

  @Test("the delete rule cascade deletes rows at all levels", arguments: Engine.allCases)
  func cascade(_ engine: Engine) throws {
    let store = try TestStore(engine, deleteRuleModels)
    for name in ["one", "two"] {
      let company = Company(name)
      let employee = Employee(name)
      company.departments = [Department(name)]
      company.departments[0].employees = [employee]
      employee.badge = Badge(name)
      try store.keep(company)
    }
    let context = store.context()
    let badge: Badge = try context.one("one")
    try context.delete(model: Company.self, where: #Predicate { $0.name == "one" })
    try context.save()
    #expect(badge.isDeleted)
    let fresh = store.context()
    #expect(try fresh.names(of: Department.self) == ["two"])
    #expect(try fresh.names(of: Employee.self) == ["two"])
    #expect(try fresh.names(of: Badge.self) == ["two"])
  }

  @Test("the delete rule cascade follows cycles and trees of references", arguments: Engine.allCases)
  func recursive(_ engine: Engine) throws {
    let store = try TestStore(engine, deleteRuleModels)
    let rings = named("abcd") { Ring($0) }
    for index in rings.indices { rings[index].next = rings[(index + 1) % 4] }
    try store.keep(rings[0], Ring("e"))
    let context = store.context()
    try context.delete(model: Ring.self, where: #Predicate { $0.name == "b" })
    try context.save()
    #expect(try store.context().names(of: Ring.self) == ["e"])
  }

  @Test(
    "if the delete rule deny protects one of the rows, an error is thrown and no row is deleted",
    arguments: Engine.allCases)
  func deny(_ engine: Engine) throws {
    let store = try TestStore(engine, deleteRuleModels)
    let vault = Vault("full")
    vault.coins = [Coin("a")]
    try store.keep(vault, Vault("empty"))
    let context = store.context()
    let error = #expect(throws: SwiftDataError.self) {
      try context.delete(model: Vault.self)
      try context.save()
    }
    #expect(error == .modelValidationFailure)
    context.rollback()
    #expect(try context.names(of: Vault.self) == ["empty", "full"])
    #expect(try store.context().names(of: Vault.self) == ["empty", "full"])
    try context.delete(model: Vault.self, where: #Predicate { $0.coins.isEmpty })
    try context.save()
    #expect(try store.context().names(of: Vault.self) == ["full"])
  }

  @Test("deleting rows to which required references refer throws", arguments: Engine.allCases)
  func required(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels)
    try store.keep(ReceiptLine("a", receipt: Receipt("receipt")), Receipt("bare"))
    let context = store.context()
    let error = #expect(throws: SwiftDataError.self) {
      try context.delete(model: Receipt.self)
      try context.save()
    }
    #expect(error == .modelValidationFailure)
    #expect(try store.context().names(of: Receipt.self) == ["bare", "receipt"])
    #expect(try store.context().one("a", ReceiptLine.self).receipt.name == "receipt")
  }

  @Test("the predicate is evaluated on unsaved values and new objects", arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let store = try shops(engine)
    let context = store.context()
    try context.one("a", Ware.self).name = "z"
    context.insert(Ware("new"))
    try context.one("c", Ware.self).name = "a"
    try context.delete(model: Ware.self, where: #Predicate { $0.name == "a" || $0.name == "new" })
    #expect(try context.names(of: Ware.self) == ["b", "z"])
    try context.save()
    #expect(try store.context().names(of: Ware.self) == ["b", "z"])
  }

  @Test("a predicate may follow relationships", arguments: Engine.allCases)
  func relationships(_ engine: Engine) throws {
    let store = try shops(engine)
    let context = store.context()
    try context.delete(model: Ware.self, where: #Predicate { $0.shop?.name == "corner" })
    try context.save()
    #expect(try store.context().names(of: Ware.self) == ["c"])
  }

  @Test("rolling back a transaction restores the rows that it deleted", arguments: Engine.allCases)
  func rollback(_ engine: Engine) throws {
    let store = try shops(engine)
    let context = store.context()
    let corner: Shop = try context.one("corner")
    let wares = corner.wares
    try context.transaction {
      try context.delete(model: Ware.self, where: #Predicate { $0.name == "b" })
    }
    #expect(throws: Failure.self) {
      try context.transaction {
        try context.delete(model: Ware.self)
        throw Failure()
      }
    }
    #expect(corner.wares.names == ["a"])
    #expect(!wares[0].isDeleted && wares[0].shop === corner)
    #expect(try store.context().names(of: Ware.self) == letters("ac"))
  }

  @Test("no autosave runs before all objects of one call are deleted", arguments: Engine.allCases)
  func autosave(_ engine: Engine) throws {
    for isUndone in [false, true] {
      let store = try shops(engine)
      let context = store.context()
      context.autosaveEnabled = true
      context.autosaveClock = RushingClock()
      if isUndone { context.undoManager = UndoManager() }
      let wares = try context.fetch(FetchDescriptor<Ware>())
      try context.delete(model: Ware.self)
      #expect(wares.count == 3 && context.deletedModelsArray.count == 3)
      #expect(try store.context().fetchCount(FetchDescriptor<Ware>()) == 3)
      try context.save()
      #expect(try store.context().fetchCount(FetchDescriptor<Ware>()) == 0)
    }
  }

  @Test("100,000 rows are deleted without creating objects", arguments: Engine.allCases)
  func many(_ engine: Engine) throws {
    let store = try TestStore(engine, deleteRuleModels)
    let filling = store.context()
    let department = Department("large")
    filling.insert(department)
    department.employees = (0..<100_000).map { Employee("\($0)") }
    try filling.save()
    let context = store.context()
    try context.delete(model: Department.self)
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Employee>()) == 0)
  }
}

/// A clock that advances by a second each time it is read, and runs no timer.
private final class RushingClock: AutosaveClock {
  private let looks = Atomic<Int64>(0)

  var now: Duration { .seconds(looks.add(1, ordering: .relaxed).newValue) }

  func run(after delay: Duration, _ action: @escaping @Sendable () async -> Void) {}
}
