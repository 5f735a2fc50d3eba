import SwiftData
import Testing

/// A subclass of a model that lacks `@Model`, so the schema has no entity for it.
private final class Unmarked: Vehicle {
  var extra = 1
}

@Suite("Class hierarchies in a schema")
struct HierarchySchemaTests {
  @Test("a schema that lists a subclass also contains its superclasses")
  func superclassIsAdded() throws {
    let schema = Schema([SportsCar.self])
    #expect(Set(["SportsCar", "Motorcar", "Vehicle"]).isSubset(of: schema.entities.map(\.name)))
    let sports = try #require(schema.entity(for: SportsCar.self))
    #expect(sports.superentity?.name == "Motorcar")
    #expect(sports.storedProperties.map(\.name) == ["topSpeed", "tags", "maker"])
    #expect(
      sports.inheritedProperties.map(\.name)
        == ["name", "wheels", "made", "serial", "garage", "parts", "doors", "size", "spare"])
    let container = try ModelContainer(for: schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
    let context = ModelContext(container)
    context.insert(SportsCar("a", topSpeed: 1))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 1)
  }

  @Test("saving an object of a subclass that the container does not list throws a descriptive error")
  func unlisted() throws {
    let container = try ModelContainer(
      for: Vehicle.self, Garage.self, Part.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Truck("a", size: 1))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.explanation?.contains("Truck") == true)
  }

  @Test("creating a container throws a descriptive error if two configurations divide a class hierarchy")
  func divided() throws {
    let own = ModelConfiguration(
      "own", schema: Schema([Vehicle.self, Garage.self, Part.self]), isStoredInMemoryOnly: true)
    let rest = ModelConfiguration("rest", isStoredInMemoryOnly: true)
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Schema(vehicleModels), configurations: [own, rest])
    }
    #expect(error?.explanation?.contains("inherits from") == true)
  }

  @Test("saving or listing a subclass of a model that lacks @Model throws a descriptive error")
  func unmarked() throws {
    let store = try TestStore(.memory, vehicleModels)
    let context = store.context()
    context.insert(Unmarked("a"))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.explanation?.contains("@Model") == true)
    #expect(try store.context().fetchCount(FetchDescriptor<Vehicle>()) == 0)
    let schema = Schema([Unmarked.self])
    #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
    }
  }
}
