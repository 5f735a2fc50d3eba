import SwiftData
import Testing

@Suite("Delete rule: cascade", .serialized)
struct CascadeTests {
  /// Saves a company with two departments of two employees each. Each employee has a badge, and all employees work on
  /// one project.
  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, deleteRuleModels)
    let company = Company("company")
    let project = Project("project")
    for department in ["a", "b"].map({ Department($0) }) {
      company.departments.append(department)
      for number in 1...2 {
        let employee = Employee("\(department.name)\(number)")
        employee.department = department
        employee.badge = Badge(employee.name)
        employee.projects = [project]
      }
    }
    try store.keep(company)
    return store
  }

  private func expect(_ store: TestStore, _ employees: [String], location: SourceLocation = #_sourceLocation) throws {
    let context = store.context()
    #expect(try context.names(of: Employee.self) == employees, sourceLocation: location)
    #expect(try context.names(of: Badge.self) == employees, sourceLocation: location)
    let project: Project = try context.one("project")
    #expect(project.members.names.sorted() == employees, sourceLocation: location)
  }

  @Test(
    "the objects of all levels are marked as deleted immediately, and the save deletes their rows",
    arguments: Engine.allCases)
  func levels(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let company: Company = try context.one("company")
    let employee: Employee = try context.one("a1")
    let badge = try #require(employee.badge)
    context.delete(company)
    #expect(company.isDeleted && employee.isDeleted && badge.isDeleted)
    #expect(context.deletedModelsArray.count == 1 + 2 + 4 + 4)
    #expect(try context.names(of: Employee.self) == [])
    try expect(store, ["a1", "a2", "b1", "b2"])
    try context.save()
    #expect(!context.hasChanges)
    try store.reopen()
    try expect(store, [])
    #expect(try store.context().names(of: Department.self) == [])
  }

  @Test(
    "deleting a department deletes its employees and their badges, but no other objects", arguments: Engine.allCases)
  func branch(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    context.delete(try context.one("a", Department.self))
    #expect(context.deletedModelsArray.count == 5)
    #expect(try context.one("company", Company.self).departments.names == ["b"])
    #expect(try context.one("project", Project.self).members.names.sorted() == ["b1", "b2"])
    try context.save()
    try expect(store, ["b1", "b2"])
  }

  @Test("deleting an employee's badge keeps the employee", arguments: Engine.allCases)
  func part(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let employee: Employee = try context.one("a1")
    context.delete(try #require(employee.badge))
    #expect(employee.badge == nil && !employee.isDeleted)
    try context.save()
    #expect(try store.context().names(of: Employee.self).count == 4)
    #expect(try store.context().names(of: Badge.self).count == 3)
  }

  @Test(
    "employees that were removed from a department, or moved to another, before its deletion are kept",
    arguments: Engine.allCases)
  func takenOut(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let (first, second): (Department, Department) = (try context.one("a"), try context.one("b"))
    try #require(first.employees.count == 2)
    let free = first.employees.remove(at: 0)
    try context.one("a2", Employee.self).department = second
    context.delete(first)
    #expect(!free.isDeleted)
    try context.save()
    try expect(store, ["a1", "a2", "b1", "b2"])
    #expect(try store.context().one("b", Department.self).employees.names == ["b1", "b2", "a2"])
  }

  @Test("a cascade also discards new objects that have no row yet", arguments: Engine.allCases)
  func newObjects(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let department: Department = try context.one("a")
    department.employees.append(Employee("new"))
    context.delete(department)
    #expect(context.insertedModelsArray.isEmpty)
    try context.save()
    try expect(store, ["b1", "b2"])
  }

  @Test(
    "deleting an object that was never saved discards all of its new related objects too", arguments: Engine.allCases)
  func unsaved(_ engine: Engine) throws {
    let store = try TestStore(engine, deleteRuleModels)
    let context = store.context()
    let company = Company("company")
    company.departments = [Department("a")]
    company.departments[0].employees = [Employee("a1")]
    context.insert(company)
    context.delete(company)
    #expect(!context.hasChanges)
    try context.save()
    #expect(try store.context().names(of: Employee.self) == [])
  }

  @Test("a cycle of objects is deleted completely, and each object once", arguments: Engine.allCases)
  func circle(_ engine: Engine) throws {
    let store = try TestStore(engine, deleteRuleModels)
    let rings = named("abcd") { Ring($0) }
    for index in rings.indices { rings[index].next = rings[(index + 1) % 4] }
    try store.keep(rings[0], Ring("e"))
    let context = store.context()
    context.delete(try context.one("c", Ring.self))
    #expect(context.deletedModelsArray.count == 4)
    try context.save()
    #expect(try store.context().names(of: Ring.self) == ["e"])
  }

  @Test("a chain of 5,000 objects is deleted completely", arguments: Engine.allCases)
  func chain(_ engine: Engine) throws {
    let store = try TestStore(engine, deleteRuleModels)
    let context = store.context()
    let rings = (0..<5000).map { Ring("\($0)") }
    for (ring, next) in zip(rings, rings.dropFirst()) { ring.next = next }
    for ring in rings { context.insert(ring) }
    try context.save()
    let other = store.context()
    other.delete(try other.one("0", Ring.self))
    #expect(other.deletedModelsArray.count == 5000)
    try other.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Ring>()) == 0)
  }

  @Test("objects whose reference to the deleted object is not optional are deleted with it", arguments: Engine.allCases)
  func required(_ engine: Engine) throws {
    let store = try TestStore(engine, deleteRuleModels)
    let contract = Contract("contract")
    let clauses = named("abc") { Clause($0, contract: contract) }
    try store.keep(clauses[0], clauses[1], clauses[2])
    let context = store.context()
    let clause: Clause = try context.one("a")
    context.delete(try context.one("contract", Contract.self))
    #expect(clause.isDeleted)
    #expect(clause.contract.name == "contract")
    try context.save()
    #expect(clause.contract.name == "contract")
    #expect(try store.context().names(of: Clause.self) == [])
  }

  @Test(
    "a child that another context saves between the deletion and its save is deleted too", arguments: Engine.allCases)
  func meanwhile(_ engine: Engine) throws {
    let store = try TestStore(engine, deleteRuleModels)
    let contract = Contract("contract")
    try store.keep(Clause("a", contract: contract))
    let (here, there) = (store.context(), store.context())
    here.delete(try here.one("contract", Contract.self))
    there.insert(Clause("late", contract: try there.one("contract")))
    try there.save()
    try here.save()
    #expect(try store.context().names(of: Contract.self) == [])
    #expect(try store.context().names(of: Clause.self) == [])
  }

  @Test("100,000 objects are deleted by one save", arguments: Engine.allCases)
  func many(_ engine: Engine) throws {
    let store = try TestStore(engine, deleteRuleModels)
    try fill(store, 100_000)
    let context = store.context()
    context.delete(try context.one("large", Department.self))
    #expect(context.deletedModelsArray.count == 100_001)
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Employee>()) == 0)
  }

  private func fill(_ store: TestStore, _ count: Int) throws {
    let context = store.context()
    let department = Department("large")
    context.insert(department)
    department.employees = (0..<count).map { Employee("\($0)") }
    try context.save()
  }

  @Test("an object that the program and a cascade both delete is deleted once", arguments: Engine.allCases)
  func both(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    context.delete(try context.one("a1", Employee.self))
    context.delete(try context.one("a", Department.self))
    context.delete(try context.one("company", Company.self))
    #expect(context.deletedModelsArray.count == 11)
    try context.save()
    try expect(store, [])
  }

  @Test(
    "replacing the object of a to-one relationship with the cascade rule deletes nothing", arguments: Engine.allCases)
  func replaced(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let employee: Employee = try context.one("a1")
    let old = try #require(employee.badge)
    employee.badge = Badge("another")
    #expect(old.employee == nil && !old.isDeleted)
    try context.save()
    #expect(try store.context().names(of: Badge.self) == ["a1", "a2", "another", "b1", "b2"])
  }
}
