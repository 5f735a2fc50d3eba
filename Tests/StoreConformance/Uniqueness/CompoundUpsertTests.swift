import SwiftData
import Testing

@Suite("Upsert by several properties", .serialized)
struct CompoundUpsertTests {
  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, uniqueModels)
    let (usa, uk) = (Country("USA"), Country("UK"))
    try store.keep(
      City("Boston", mayor: "a", country: usa), City("Boston", mayor: "b", country: uk), City("Boston", mayor: "c"))
    try store.keep(Account("Ada", site: "x", email: "ada", visits: 1), Account("Ada", site: "y", visits: 2))
    return store
  }

  private func mayors(_ store: TestStore) throws -> [String] {
    let context = store.context()
    return try context.fetch(FetchDescriptor<City>()).map { "\($0.country?.name ?? "-"): \($0.mayor)" }.sorted()
  }

  private func visits(_ store: TestStore) throws -> [String] {
    let context = store.context()
    return try context.fetch(FetchDescriptor<Account>())
      .map { "\($0.name) \($0.site) \($0.email ?? "-") \($0.visits)" }.sorted()
  }

  @Test(
    "a row is updated if all properties of the constraint are equal, including a to-one relationship",
    arguments: Engine.allCases)
  func relationship(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let usa: Country = try context.one("USA")
    context.insert(City("Boston", mayor: "new", country: usa))
    context.insert(City("Salem", mayor: "d", country: usa))
    try context.save()
    #expect(try mayors(store) == ["-: c", "UK: b", "USA: d", "USA: new"])
    #expect(usa.cities.count == 2)
    #expect(try store.context().one("USA", Country.self).cities.count == 2)
  }

  @Test(
    "a to-one relationship to a new object that is upserted equals one to the existing row", arguments: Engine.allCases)
  func throughAnother(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let city = City("Boston", mayor: "new", country: Country("UK", population: 67))
    context.insert(city)
    try context.save()
    #expect(try mayors(store) == ["-: c", "UK: new", "USA: a"])
    #expect(try store.context().one("UK", Country.self).population == 67)
    #expect(city.country?.cities.count == 1)
  }

  @Test("nil equals no value in a unique constraint, as in SQL", arguments: Engine.allCases)
  func missing(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    context.insert(City("Boston", mayor: "e"))
    context.insert(Account("Bob", site: "x"))
    try context.save()
    #expect(try mayors(store) == ["-: c", "-: e", "UK: b", "USA: a"])
    #expect(try visits(store) == ["Ada x ada 1", "Ada y - 2", "Bob x - 0"])
  }

  @Test("each of several constraints identifies a row", arguments: Engine.allCases)
  func rules(_ engine: Engine) throws {
    let store = try store(engine)
    let first = store.context()
    first.insert(Account("Eve", site: "z", email: "ada", visits: 3))
    try first.save()
    #expect(try visits(store) == ["Ada y - 2", "Eve z ada 3"])
    let second = store.context()
    second.insert(Account("Ada", site: "y", email: "new", visits: 4))
    try second.save()
    #expect(try visits(store) == ["Ada y new 4", "Eve z ada 3"])
  }

  @Test(
    "a new object that matches two rows by two constraints makes the save throw, or replaces both rows",
    arguments: Engine.allCases)
  func twoRows(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    context.insert(Account("Ada", site: "y", email: "ada", visits: 9))
    do {
      try context.save()
      #expect(try visits(store) == ["Ada y ada 9"])
    } catch {
      #expect(error as? SwiftDataError == .modelValidationFailure)
      #expect(try visits(store) == ["Ada x ada 1", "Ada y - 2"])
    }
  }
}
