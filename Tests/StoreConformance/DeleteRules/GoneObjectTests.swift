import SwiftData
import Testing

/// Related objects retain each other. When a save deletes their rows, the objects must release each other; otherwise
/// they would stay in memory until the context is released.
@Suite("Memory and relationships of objects whose rows were deleted", .serialized)
struct GoneObjectTests {
  /// Weak references to one object of each level of a company.
  private struct Levels {
    weak var company: Company?
    weak var department: Department?
    weak var employee: Employee?
    weak var badge: Badge?

    var areFreed: Bool { company == nil && department == nil && employee == nil && badge == nil }
    var areThere: Bool { company != nil && department != nil && employee != nil && badge != nil }
  }

  /// A company with one department, employee and badge, which retain each other, and a project. Deleting the company
  /// does not delete the project.
  private func makeCompany() -> Company {
    let (company, department, employee) = (Company("company"), Department("a"), Employee("a1"))
    company.departments = [department]
    department.employees = [employee]
    employee.badge = Badge("a1")
    employee.projects = [Project("project")]
    return company
  }

  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, deleteRuleModels)
    try store.keep(makeCompany())
    return store
  }

  /// Reads the relationships between the levels of a company in both directions, and returns weak references to the
  /// objects.
  private func readLevels(of company: Company) throws -> Levels {
    let department = try #require(company.departments.first)
    let employee = try #require(department.employees.first)
    let badge = try #require(employee.badge)
    try #require(badge.employee === employee && employee.department === department)
    try #require(department.company === company)
    return Levels(company: company, department: department, employee: employee, badge: badge)
  }

  private func readLevels(in context: ModelContext) throws -> Levels {
    try readLevels(of: try context.one("company"))
  }

  // MARK: Releasing objects

  @Test("a save releases the objects that its cascade deletes", arguments: Engine.allCases)
  func cascade(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    func delete() throws -> Levels {
      let company: Company = try context.one("company")
      let levels = try readLevels(of: company)
      context.delete(company)
      #expect(!levels.areFreed)
      try context.save()
      return levels
    }
    #expect(try delete().areFreed)
    #expect(try context.names(of: Project.self) == ["project"])
  }

  @Test("the save releases objects whose relationships were changed before their deletion", arguments: Engine.allCases)
  func changed(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    func delete() throws -> Levels {
      let company: Company = try context.one("company")
      let levels = try readLevels(of: company)
      levels.department?.employees.append(Employee("new"))
      company.departments.append(Department("b"))
      levels.employee?.projects.append(Project("another"))
      context.delete(company)
      try context.save()
      return levels
    }
    #expect(try delete().areFreed)
  }

  @Test(
    "objects whose rows another context deleted are released when the next fetch applies the deletion",
    arguments: Engine.allCases)
  func elsewhere(_ engine: Engine) throws {
    let store = try store(engine)
    let (here, there) = (store.context(), store.context())
    let levels = try readLevels(in: here)
    #expect(levels.areThere)
    try there.delete(model: Company.self)
    try there.save()
    #expect(try here.names(of: Employee.self) == [])
    #expect(levels.areFreed)
  }

  @Test(
    "an object that another context saved meanwhile, and that the save deletes with its owner, is released",
    arguments: Engine.allCases)
  func takenAlong(_ engine: Engine) throws {
    let store = try TestStore(engine, deleteRuleModels)
    try store.keep(Clause("a", contract: Contract("contract")))
    let (here, there) = (store.context(), store.context())
    func delete() throws -> () -> [AnyObject?] {
      let contract: Contract = try here.one("contract")
      let clause = try #require(contract.clauses.first)
      here.delete(contract)
      there.insert(Clause("late", contract: try there.one("contract")))
      try there.save()
      let late: Clause = try here.one("late")
      try here.save()
      #expect(contract.isDeleted && clause.isDeleted && late.isDeleted)
      return { [weak contract, weak clause, weak late] in [contract, clause, late] }
    }
    let objects = try delete()
    #expect(objects().allSatisfy { $0 == nil })
  }

  @Test("related objects that two saves delete one after the other are released", arguments: Engine.allCases)
  func oneAfterTheOther(_ engine: Engine) throws {
    let store = try TestStore(engine, deleteRuleModels)
    try store.keep(Rope("rope", anchor: Anchor("anchor")))
    let context = store.context()
    func delete() throws -> () -> [AnyObject?] {
      let rope: Rope = try context.one("rope")
      let anchor = rope.anchor
      try #require(anchor.ropes.first === rope)
      context.delete(anchor)
      try context.save()
      context.delete(rope)
      try context.save()
      #expect(rope.anchor === anchor && anchor.ropes.isEmpty)
      return { [weak anchor, weak rope] in [anchor, rope] }
    }
    let objects = try delete()
    #expect(objects().allSatisfy { $0 == nil })
  }

  @Test(
    "the list of a deleted object loses members that later saves delete, one or several at once",
    arguments: Engine.allCases)
  func someAfterTheOthers(_ engine: Engine) throws {
    let store = try TestStore(engine, deleteRuleModels)
    let anchor = Anchor("anchor")
    let context = store.context()
    context.insert(anchor)
    for name in letters("abcdefghijklm") { context.insert(Rope(name, anchor: anchor)) }
    try context.save()
    let ropes = anchor.ropes
    context.delete(anchor)
    try context.save()
    #expect(anchor.ropes.names == letters("abcdefghijklm"))
    for range in [3..<4, 0..<1, 12..<13, 4..<12] {
      let change = changeFlag { _ = anchor.ropes }
      ropes[range].forEach(context.delete)
      try context.save()
      #expect(change.isRaised)
      #expect(anchor.ropes.names == ropes.filter { !$0.isDeleted }.names)
    }
    #expect(anchor.ropes.names == letters("bc"))
    #expect(ropes.allSatisfy { $0.anchor === anchor })
  }

  @Test("objects of subclasses and in one-way relationships are released", arguments: Engine.allCases)
  func hierarchy(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    let here = store.context()
    func make() throws -> () -> [AnyObject?] {
      let (garage, truck, trailer) = (Garage("g"), Truck("Actros", size: 18), Truck("Atego", size: 7))
      here.insert(garage)
      garage.vehicles = [truck, trailer]
      truck.trailer = trailer
      trailer.trailer = truck
      try here.save()
      return { [weak garage, weak truck, weak trailer] in [garage, truck, trailer] }
    }
    let objects = try make()
    #expect(objects().allSatisfy { $0 != nil })
    let there = store.context()
    try there.delete(model: Garage.self)
    try there.delete(model: Vehicle.self)
    try there.save()
    #expect(try here.fetchCount(FetchDescriptor<Garage>()) == 0)
    #expect(objects().allSatisfy { $0 == nil })
  }

  @Test("objects that are deleted before their first save are released", arguments: Engine.allCases)
  func unsaved(_ engine: Engine) throws {
    let store = try TestStore(engine, deleteRuleModels)
    let context = store.context()
    func delete() throws -> Levels {
      let company = makeCompany()
      context.insert(company)
      let levels = try readLevels(of: company)
      context.delete(company)
      return levels
    }
    let graphs = try (0..<100).map { _ in try delete() }
    try context.save()
    // A context removes discarded objects from its list of pending insertions only when there are many, so up to 32
    // graphs may remain.
    #expect(graphs.count { !$0.areFreed } <= 32)
    #expect(try context.fetchCount(FetchDescriptor<Project>()) == 100)
  }

  // MARK: Values, notifications and undoing

  @Test(
    "a deleted object keeps its values, its related objects that still exist, and its required references",
    arguments: Engine.allCases)
  func lastValues(_ engine: Engine) throws {
    let store = try store(engine)
    try store.keep(Clause("clause", contract: Contract("contract")))
    let context = store.context()
    let employee: Employee = try context.one("a1")
    let clause: Clause = try context.one("clause")
    let contract = clause.contract
    try #require(employee.projects.names == ["project"] && contract.clauses.names == ["clause"])
    context.delete(try context.one("company", Company.self))
    context.delete(contract)
    #expect(employee.department?.name == "a" && contract.clauses.names == ["clause"])
    try context.save()
    #expect(employee.name == "a1" && employee.department == nil && employee.badge == nil)
    #expect(employee.projects.names == ["project"])
    #expect(clause.contract === contract && contract.clauses.isEmpty)
    #expect(!context.hasChanges)
  }

  @Test(
    "a save notifies observers of a deleted object's relationship only if the relationship changes",
    arguments: Engine.allCases)
  func observers(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let company: Company = try context.one("company")
    let employee: Employee = try context.one("a1")
    _ = (company.departments, employee.department, employee.projects)
    context.delete(company)
    let departments = changeFlag { _ = company.departments }
    let department = changeFlag { _ = employee.department }
    let projects = changeFlag { _ = employee.projects }
    try context.save()
    #expect(departments.isRaised && department.isRaised)
    #expect(!projects.isRaised)
  }

  @Test(
    "a rolled-back transaction restores the relationships of deleted objects, and a committed one releases the objects",
    arguments: Engine.allCases)
  func transaction(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    func delete(_ company: Company) throws -> Levels {
      let levels = try readLevels(of: company)
      context.delete(company)
      try context.save()
      return levels
    }
    do {
      let company: Company = try context.one("company")
      #expect(throws: Failure.self) {
        try context.transaction {
          try context.transaction { _ = try delete(company) }
          throw Failure()
        }
      }
      #expect(!company.isDeleted && !context.hasChanges)
      #expect(try readLevels(of: company).areThere)
    }
    var levels = Levels()
    try context.transaction { levels = try delete(try context.one("company")) }
    #expect(levels.areFreed)
  }

  @Test(
    "rolling back a deletion by predicate restores objects that were fetched after the deletion",
    arguments: Engine.allCases)
  func batchDeletion(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    var badges: [Badge] = []
    #expect(throws: Failure.self) {
      try context.transaction {
        try context.delete(model: Badge.self)
        var descriptor = FetchDescriptor<Badge>()
        descriptor.includePendingChanges = false
        badges = try context.fetch(descriptor)
        try context.save()
        #expect(badges.first?.isDeleted == true)
        throw Failure()
      }
    }
    #expect(badges.first?.isDeleted == false)
    #expect(try context.one("a1", Badge.self) === badges.first)
  }

  @Test("an undo manager restores the relationships of deleted objects", arguments: Engine.allCases)
  func undo(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let manager = UndoManager()
    context.undoManager = manager
    let company: Company = try context.one("company")
    context.delete(company)
    try context.save()
    #expect(company.departments.isEmpty)
    manager.undo()
    #expect(try readLevels(of: company).areThere)
    try context.save()
    #expect(try store.context().one("a1", Employee.self).projects.names == ["project"])
    #expect(try store.context().one("a1", Badge.self).employee?.department?.company?.name == "company")
  }
}
