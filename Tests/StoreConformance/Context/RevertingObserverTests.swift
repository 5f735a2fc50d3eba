import SwiftData
import Testing

/// The related models of each model, and the pairs of models of which only one refers to the other.
private struct Ends: Equatable {
  private var pairs: [String: [String]] = [:]
  private(set) var disagreements: [String] = []

  init(_ context: ModelContext) throws {
    let (shops, wares) = (try context.fetch(FetchDescriptor<Shop>()), try context.fetch(FetchDescriptor<Ware>()))
    compare("wares", shops, wares, { $0.wares }, { $0.shop.map { [$0] } ?? [] })
    let receipts = try context.fetch(FetchDescriptor<Receipt>())
    let lines = try context.fetch(FetchDescriptor<ReceiptLine>())
    compare("lines", receipts, lines, { $0.lines }, { [$0.receipt] })
    let (drivers, cars) = (try context.fetch(FetchDescriptor<Driver>()), try context.fetch(FetchDescriptor<Car>()))
    compare("car", drivers, cars, { $0.car.map { [$0] } ?? [] }, { $0.driver.map { [$0] } ?? [] })
    let students = try context.fetch(FetchDescriptor<Student>())
    compare("courses", students, try context.fetch(FetchDescriptor<Course>()), { $0.courses }, { $0.students })
  }

  private mutating func compare<Left: Named, Right: Named>(
    _ relationship: String, _ left: [Left], _ right: [Right], _ there: (Left) -> [Right], _ back: (Right) -> [Left]
  ) {
    for owner in left {
      for member in there(owner) where back(member).filter({ $0 === owner }).count != 1 {
        disagreements.append("\(owner.name) has \(member.name), which has \(back(member).names)")
      }
      pairs["\(relationship) \(owner.name)"] = there(owner).names
    }
    for member in right {
      for owner in back(member) where there(owner).filter({ $0 === member }).count != 1 {
        disagreements.append("\(member.name) has \(owner.name), which has \(there(owner).names)")
      }
    }
  }

  static func == (left: Ends, right: Ends) -> Bool { left.pairs == right.pairs }
}

@Suite("Relationship changes during which an observer rolls back the context", .serialized)
@MainActor
struct RevertingObserverTests {
  /// Saves two shops, and objects with the other kinds of relationships. The first shop has the ware "a".
  private func scene(_ engine: Engine) throws -> (store: TestStore, context: ModelContext) {
    let store = try TestStore(engine, graphModels)
    let (student, driver, receipt) = (Student("Cid"), Driver("Ada"), Receipt("first"))
    student.courses = [Course("x")]
    driver.car = Car("Austin")
    try store.keep(
      Shop("corner", wares: [Ware("a")]), Shop("market"), Ware("b"), Ware("c"), student, Student("Dan"), Course("y"),
      driver, Driver("Bob"), Car("Bentley"), receipt, Receipt("second"), ReceiptLine("line", receipt: receipt))
    return (store, store.context())
  }

  /// Runs `body` once, at the next change of the properties that `read` reads. Observation calls the closure
  /// synchronously, before the change is applied. If `body` changes the same property, it calls the closure again; the
  /// closure ignores these calls.
  private func observe(_ read: () -> Void, once body: @escaping @Sendable () -> Void) {
    let runs = Log<Bool>()
    withObservationTracking(read) {
      guard runs.entries.isEmpty else { return }
      runs.add(true)
      body()
    }
  }

  /// Rolls back at the next change of the properties that `read` reads.
  private func rollBack(_ context: ModelContext, atChangeOf read: () -> Void) {
    nonisolated(unsafe) let reverted = context
    observe(read) { reverted.rollback() }
  }

  /// Expects that both ends of each relationship agree, now and after a save.
  private func expectAgreement(
    _ context: ModelContext, in store: TestStore, at location: SourceLocation = #_sourceLocation
  ) throws {
    let ends = try Ends(context)
    #expect(ends.disagreements == [], sourceLocation: location)
    #expect(throws: Never.self, sourceLocation: location) { try context.save() }
    #expect(!context.hasChanges, sourceLocation: location)
    let stored = try Ends(store.context())
    #expect(stored == ends && stored.disagreements == [], sourceLocation: location)
  }

  @Test(
    "a list has all the members that were assigned, including one whose unsaved membership the observer rolled back",
    arguments: Engine.allCases)
  func list(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let corner: Shop = try context.one("corner")
    let (a, b, c): (Ware, Ware, Ware) = (try context.one("a"), try context.one("b"), try context.one("c"))
    corner.wares.append(b)
    rollBack(context) { _ = corner.wares }
    corner.wares = [a, b, c]
    #expect(corner.wares.names == ["a", "b", "c"] && b.shop === corner)
    try expectAgreement(context, in: store)
    c.shop = nil
    rollBack(context) { _ = corner.wares }
    corner.wares = [a]
    #expect(b.shop == nil && c.shop == nil)
    try expectAgreement(context, in: store)
  }

  @Test("new members of an assigned list stay inserted", arguments: Engine.allCases)
  func newMembers(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let corner: Shop = try context.one("corner")
    let former = Ware("former")
    corner.wares.append(former)
    rollBack(context) { _ = corner.wares }
    corner.wares = [former, Ware("new")]
    #expect(try context.names(of: Ware.self) == ["a", "b", "c", "former", "new"])
    try expectAgreement(context, in: store)
    #expect(try store.context().one("corner", Shop.self).wares.names == ["former", "new"])
  }

  @Test("both ends of a many-to-many relationship are consistent", arguments: Engine.allCases)
  func manyToMany(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let (cid, dan): (Student, Student) = (try context.one("Cid"), try context.one("Dan"))
    let (x, y): (Course, Course) = (try context.one("x"), try context.one("y"))
    cid.courses = [y]
    rollBack(context) { _ = cid.courses }
    cid.courses = [y, x]
    #expect(cid.courses.names == ["y", "x"])
    try expectAgreement(context, in: store)
    // Here, the observer tracks the inverse relationship, `Course.students`.
    for course in [x, y] {
      rollBack(context) { _ = course.students }
      dan.courses = [x, y]
      #expect(dan.courses.names == ["x", "y"])
      #expect(x.students.filter { $0 === dan }.count == 1 && y.students.filter { $0 === dan }.count == 1)
      try expectAgreement(context, in: store)
      rollBack(context) { _ = course.students }
      dan.courses = []
      try expectAgreement(context, in: store)
    }
  }

  @Test("both ends of a to-one relationship are consistent", arguments: Engine.allCases)
  func reference(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let (corner, market): (Shop, Shop) = (try context.one("corner"), try context.one("market"))
    let a: Ware = try context.one("a")
    a.shop = nil
    rollBack(context) { _ = a.shop }
    a.shop = market
    #expect(a.shop === market && corner.wares.isEmpty && market.wares.names == ["a"])
    try expectAgreement(context, in: store)
    a.shop = nil
    rollBack(context) { _ = corner.wares }
    a.shop = corner
    #expect(a.shop === corner && market.wares.isEmpty && corner.wares.names == ["a"])
    try expectAgreement(context, in: store)
    rollBack(context) { _ = a.shop }
    let new = Shop("new")
    a.shop = new
    #expect(new.modelContext === context && new.wares.names == ["a"])
    try expectAgreement(context, in: store)
  }

  @Test("both ends of a required (non-optional) reference are consistent", arguments: Engine.allCases)
  func requiredReference(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let (first, second): (Receipt, Receipt) = (try context.one("first"), try context.one("second"))
    let line: ReceiptLine = try context.one("line")
    let third = Receipt("third")
    line.receipt = third
    rollBack(context) { _ = line.receipt }
    line.receipt = second
    #expect(second.lines.names == ["line"] && first.lines.isEmpty && third.modelContext == nil)
    try expectAgreement(context, in: store)
    rollBack(context) { _ = first.lines }
    line.receipt = first
    #expect(first.lines.names == ["line"] && second.lines.isEmpty)
    try expectAgreement(context, in: store)
  }

  @Test("both ends of a one-to-one relationship are consistent", arguments: Engine.allCases)
  func oneToOne(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let (ada, bob): (Driver, Driver) = (try context.one("Ada"), try context.one("Bob"))
    let (austin, bentley): (Car, Car) = (try context.one("Austin"), try context.one("Bentley"))
    bob.car = bentley
    rollBack(context) { _ = austin.driver }
    bob.car = austin
    #expect(austin.driver === bob && ada.car == nil && bentley.driver == nil)
    try expectAgreement(context, in: store)
    rollBack(context) { _ = bob.car }
    austin.driver = ada
    #expect(ada.car === austin && bob.car == nil)
    try expectAgreement(context, in: store)
  }

  @Test(
    "an assigned list has all its members if the observer tracks the inverse property of a member",
    arguments: Engine.allCases)
  func otherEnd(_ engine: Engine) throws {
    for observed in ["a", "b", "c"] {
      let (store, context) = try scene(engine)
      let (corner, market): (Shop, Shop) = (try context.one("corner"), try context.one("market"))
      let wares: [Ware] = try ["a", "b", "c"].map { try context.one($0) }
      // The name is pending before the change, so the rollback discards it.
      market.name = "pending"
      let ware: Ware = try context.one(observed)
      rollBack(context) { _ = ware.shop }
      market.wares = wares
      #expect(market.wares.names == ["a", "b", "c"] && corner.wares.isEmpty && market.name == "market")
      try expectAgreement(context, in: store)
      rollBack(context) { _ = ware.shop }
      market.wares = []
      #expect(market.wares.isEmpty && ware.shop == nil)
      try expectAgreement(context, in: store)
    }
  }

  @Test(
    "if the observer rolls back during an in-place change of a list, the list has the result of that change",
    arguments: Engine.allCases)
  func inPlace(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let corner: Shop = try context.one("corner")
    let (b, c): (Ware, Ware) = (try context.one("b"), try context.one("c"))
    corner.wares.append(b)
    rollBack(context) { _ = c.shop }
    corner.wares.append(c)
    // The append started from the list that contained the pending member b, so the list contains b although it was
    // rolled back.
    #expect(corner.wares.names == ["a", "b", "c"] && b.shop === corner)
    try expectAgreement(context, in: store)
    rollBack(context) { _ = b.shop }
    corner.wares.removeAll { $0 === b }
    #expect(b.shop == nil)
    try expectAgreement(context, in: store)
    let student: Student = try context.one("Dan")
    let x: Course = try context.one("x")
    rollBack(context) { _ = x.students }
    student.courses.append(x)
    #expect(x.students.filter { $0 === student }.count == 1)
    try expectAgreement(context, in: store)
  }

  @Test(
    "both ends are consistent if the observer runs a transaction that throws and is rolled back",
    arguments: Engine.allCases)
  func undoneTransaction(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let (corner, market): (Shop, Shop) = (try context.one("corner"), try context.one("market"))
    let (a, b): (Ware, Ware) = (try context.one("a"), try context.one("b"))
    b.shop = corner
    nonisolated(unsafe) let undone = context
    observe {
      _ = a.shop
    } once: {
      try? undone.transaction { throw Failure() }
    }
    market.wares = [a, b]
    #expect(market.wares.names == ["a", "b"] && corner.wares.isEmpty && a.shop === market && b.shop === market)
    try expectAgreement(context, in: store)
  }

  @Test(
    "a change whose observer sets the same relationship is applied after the observer returns",
    arguments: Engine.allCases)
  func settingObserver(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let (corner, market): (Shop, Shop) = (try context.one("corner"), try context.one("market"))
    let (a, b, c): (Ware, Ware, Ware) = (try context.one("a"), try context.one("b"), try context.one("c"))
    nonisolated(unsafe) let (unsafeCorner, unsafeMarket, unsafeB, unsafeC) = (corner, market, b, c)
    observe {
      _ = corner.wares
    } once: {
      unsafeCorner.wares = [unsafeB]
    }
    corner.wares = [c]
    #expect(a.shop == nil && b.shop == nil && c.shop === corner)
    try expectAgreement(context, in: store)
    a.shop = corner
    observe {
      _ = b.shop
    } once: {
      unsafeB.shop = unsafeMarket
    }
    b.shop = corner
    #expect(market.wares.isEmpty && b.shop === corner)
    try expectAgreement(context, in: store)
    // Here, the observer tracks the inverse property, `Ware.shop`.
    observe {
      _ = c.shop
    } once: {
      unsafeC.shop = unsafeMarket
    }
    corner.wares.removeAll { $0 === c }
    // The observer moved the ware to the market before the removal was applied, so the removal has no further effect.
    #expect(c.shop === market && market.wares.names == ["c"])
    try expectAgreement(context, in: store)
    observe {
      _ = c.shop
    } once: {
      unsafeC.shop = unsafeMarket
    }
    corner.wares = [a, b, c]
    #expect(c.shop === corner && market.wares.isEmpty)
    try expectAgreement(context, in: store)
  }

  @Test("a model is deleted if an observer of its deletion rolls back", arguments: Engine.allCases)
  func deletion(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let corner: Shop = try context.one("corner")
    let (a, b): (Ware, Ware) = (try context.one("a"), try context.one("b"))
    b.shop = corner
    rollBack(context) { _ = a.shop }
    context.delete(corner)
    #expect(corner.isDeleted && a.shop == nil && b.shop == nil)
    try expectAgreement(context, in: store)
    #expect(try store.context().names(of: Shop.self) == ["market"])
    let new = Shop("new", wares: [a])
    context.insert(new)
    rollBack(context) { _ = a.shop }
    context.delete(new)
    #expect(new.modelContext == nil && a.shop == nil)
    try expectAgreement(context, in: store)
    #expect(try store.context().names(of: Shop.self) == ["market"])
  }

  @Test("a deleted new model has no row if an observer of its deletion saves", arguments: Engine.allCases)
  func saveInDeletion(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let a: Ware = try context.one("a")
    let new = Shop("new", wares: [a])
    context.insert(new)
    nonisolated(unsafe) let saved = context
    observe {
      _ = a.shop
    } once: {
      #expect(throws: Never.self) { try saved.save() }
    }
    context.delete(new)
    #expect(try context.names(of: Shop.self) == ["corner", "market"])
    try expectAgreement(context, in: store)
    #expect(try store.context().names(of: Shop.self) == ["corner", "market"])
  }

  @Test("a model is inserted if an observer of its insertion rolls back", arguments: Engine.allCases)
  func insertion(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let (corner, market): (Shop, Shop) = (try context.one("corner"), try context.one("market"))
    let (a, b): (Ware, Ware) = (try context.one("a"), try context.one("b"))
    market.name = "pending"
    rollBack(context) { _ = a.shop }
    let new = Shop("new", wares: [a, b])
    context.insert(new)
    #expect(new.modelContext === context && corner.wares.isEmpty && market.name == "market")
    try expectAgreement(context, in: store)
    rollBack(context) { _ = corner.wares }
    let ware = Ware("ware", shop: corner)
    context.insert(ware)
    #expect(ware.modelContext === context && corner.wares.names == ["ware"])
    try expectAgreement(context, in: store)
  }

  @Test("an observer that rolls back at every notification causes no endless loop", arguments: Engine.allCases)
  func always(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let (market, a): (Shop, Ware) = (try context.one("market"), try context.one("a"))
    nonisolated(unsafe) let (reverted, unsafeWare) = (context, a)
    let count = Log<Bool>()
    @Sendable func observeAlways() {
      withObservationTracking {
        _ = unsafeWare.shop
      } onChange: {
        count.add(true)
        guard count.entries.count < 1_000 else { return }
        reverted.rollback()
        observeAlways()
      }
    }
    observeAlways()
    market.wares = [a]
    #expect(count.entries.count < 100)
    context.rollback()
    try expectAgreement(context, in: store)
  }
}
