import SwiftData
import Testing

@Suite("Uniqueness policy: throw an error", .serialized)
struct UniquenessPolicyTests {
  private func container(_ name: String) throws -> ModelContainer {
    let schema = Schema(uniqueModels)
    var configuration = ModelConfiguration(name, schema: schema, isStoredInMemoryOnly: true)
    configuration.uniquenessPolicy = .throwError
    return try ModelContainer(for: schema, configurations: [configuration])
  }

  private func expectRefusal(_ context: ModelContext, naming words: [String]) throws {
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    guard let error else { return }
    #expect(error == .modelValidationFailure)
    for word in words { #expect("\(error)".contains(word), "\(error)") }
  }

  @Test(
    "a duplicate of a row's unique value throws an error with entity, property and value, and nothing is saved")
  func store() throws {
    let container = try container("store")
    let first = ModelContext(container)
    first.insert(Country("Norway", population: 5))
    try first.save()
    let context = ModelContext(container)
    context.insert(Country("Norway", population: 6))
    context.insert(Country("Peru"))
    try expectRefusal(context, naming: ["Country", "name", "Norway"])
    #expect(context.insertedModelsArray.count == 2)
    let found = try ModelContext(container).fetch(FetchDescriptor<Country>())
    #expect(found.map(\.population) == [5])
  }

  @Test("a save of two new objects with the same unique value throws")
  func batch() throws {
    let container = try container("batch")
    let context = ModelContext(container)
    let country = Country("Peru")
    context.insert(country)
    context.insert(Country("Peru"))
    try expectRefusal(context, naming: ["Country", "name", "Peru"])
    context.delete(country)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Country>()) == 1)
  }

  @Test("a constraint over several properties is reported with their values")
  func compound() throws {
    let container = try container("compound")
    let context = ModelContext(container)
    context.insert(Account("Ada", site: "here"))
    try context.save()
    context.insert(Account("Ada", site: "here"))
    try expectRefusal(context, naming: ["Account", "name", "Ada", "site", "here"])
  }

  @Test("changing a property to the unique value of another row throws")
  func edit() throws {
    let container = try container("edit")
    let context = ModelContext(container)
    let country = Country("Norway")
    context.insert(country)
    context.insert(Country("Peru"))
    try context.save()
    country.name = "Peru"
    try expectRefusal(context, naming: ["Country", "name", "Peru"])
    context.rollback()
    #expect(country.name == "Norway")
  }
}
