import SwiftData
import Testing

@Suite("Undoing deletions of related objects", .serialized)
struct DeletionRollbackTests {
  @Test("a rollback restores both ends of relationships that a deletion set to nil", arguments: Engine.allCases)
  func nullified(_ engine: Engine) throws {
    let scene = try Scene(engine, .fetched, [Shop("corner", wares: named("abc") { Ware($0) })])
    let shop: Shop = try scene.find("corner")
    let wares = shop.wares
    try #require(wares.count == 3)
    scene.context.delete(wares[1])
    scene.context.delete(shop)
    scene.context.rollback()
    #expect(!shop.isDeleted && !wares[1].isDeleted)
    #expect(shop.wares == wares)
    #expect(wares.allSatisfy { $0.shop === shop })
    #expect(!scene.context.hasChanges)
    try scene.saveAndForget()
    #expect(try scene.find("corner", Shop.self).wares.names == letters("abc"))
  }

  @Test("a rollback restores all levels of a cascade", arguments: Engine.allCases)
  func cascaded(_ engine: Engine) throws {
    let (store, context) = try company(engine)
    let company: Company = try context.one("company")
    let employee: Employee = try context.one("a1")
    context.delete(company)
    context.rollback()
    #expect(!company.isDeleted && !employee.isDeleted)
    #expect(context.deletedModelsArray.isEmpty)
    #expect(company.departments.names == ["a"])
    #expect(employee.department?.company === company)
    #expect(employee.badge?.employee === employee)
    #expect(employee.projects.names == ["project"])
    try context.save()
    #expect(try store.context().names(of: Badge.self) == ["a1"])
  }

  @Test(
    "a transaction that throws restores all levels of a cascade, whether it saved or not", arguments: Engine.allCases,
    [true, false])
  func transaction(_ engine: Engine, _ isSaved: Bool) throws {
    let (store, context) = try company(engine)
    let company: Company = try context.one("company")
    let project: Project = try context.one("project")
    #expect(throws: Failure.self) {
      try context.transaction {
        context.delete(company)
        if isSaved { try context.save() }
        throw Failure()
      }
    }
    #expect(!company.isDeleted)
    #expect(company.departments.first?.employees.first?.badge?.name == "a1")
    #expect(project.members.names == ["a1"])
    #expect(!context.hasChanges)
    #expect(try store.context().names(of: Badge.self) == ["a1"])
    #expect(try store.context().one("project", Project.self).members.names == ["a1"])
  }

  @Test(
    "inserting a deleted object again keeps it, and both ends of its relationship agree in every context",
    arguments: Engine.allCases)
  func insertAgain(_ engine: Engine) throws {
    let scene = try Scene(engine, .fetched, [Shop("corner", wares: named("ab") { Ware($0) })])
    let ware: Ware = try scene.find("a")
    let shop: Shop = try scene.find("corner")
    scene.context.delete(ware)
    scene.context.insert(ware)
    #expect(!ware.isDeleted)
    #expect((ware.shop === shop) == shop.wares.contains(ware))
    let isListed = shop.wares.contains(ware)
    try scene.saveAndForget()
    #expect(try scene.find("corner", Shop.self).wares.contains { $0.name == "a" } == isListed)
    #expect(try (scene.find("a", Ware.self).shop != nil) == isListed)
  }

  private func company(_ engine: Engine) throws -> (TestStore, ModelContext) {
    let store = try TestStore(engine, deleteRuleModels)
    let company = Company("company")
    let employee = Employee("a1")
    company.departments = [Department("a")]
    company.departments[0].employees = [employee]
    employee.badge = Badge("a1")
    employee.projects = [Project("project")]
    try store.keep(company)
    return (store, store.context())
  }
}
