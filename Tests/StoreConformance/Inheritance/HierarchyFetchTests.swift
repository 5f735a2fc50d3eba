import SwiftData
import Testing

@Suite("Fetching from a hierarchy", .serialized)
struct HierarchyFetchTests {
  @Test(
    "a fetch by the base returns instances of the actual classes, with all their values", arguments: Engine.allCases)
  func byBase(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.saveVehicles()
    try store.reopen()
    let context = store.context()
    let vehicles = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)]))
    #expect(vehicles.map(\.name) == ["Actros", "Beetle", "Cart", "Roadster", "Testarossa"])
    #expect(vehicles.map { "\(type(of: $0))" } == ["Truck", "Motorcar", "Vehicle", "Bicycle", "SportsCar"])
    #expect((vehicles[0] as? Truck)?.size == 18)
    #expect((vehicles[1] as? Motorcar)?.doors == 3)
    #expect(vehicles[3].wheels == 2)
    let sports = try #require(vehicles[4] as? SportsCar)
    #expect(sports.topSpeed == 290)
    #expect(sports.maker == "Ferrari")
    #expect(sports.tags == ["fast"])
    #expect(sports.doors == 2)
    #expect(sports.size == nil)
    #expect(vehicles.allSatisfy { !$0.hasChanges })
  }

  @Test("a fetch by a subclass returns its instances and those of its subclasses", arguments: Engine.allCases)
  func bySubclass(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.saveVehicles()
    let context = store.context()
    #expect(try context.vehicles(Motorcar.self) == ["Motorcar Beetle", "SportsCar Testarossa"])
    #expect(try context.vehicles(SportsCar.self) == ["SportsCar Testarossa"])
    #expect(try context.vehicles(Truck.self) == ["Truck Actros"])
    #expect(try context.vehicles(Bicycle.self) == ["Bicycle Roadster"])
  }

  @Test("a row has one instance, regardless of the class that is fetched", arguments: Engine.allCases)
  func identity(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.saveVehicles()
    let context = store.context()
    let byBase = try context.fetch(FetchDescriptor<Vehicle>())
    let cars = try context.fetch(FetchDescriptor<Motorcar>())
    let sports = try context.fetch(FetchDescriptor<SportsCar>())
    #expect(byBase[1] === cars[0])
    #expect(byBase[2] === cars[1])
    #expect(cars[1] === sports[0])
  }

  @Test(
    "identifiers in batches have the actual classes, even if the rows are deleted later", arguments: Engine.allCases)
  func identifiersInBatches(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.saveVehicles()
    let context = store.context()
    let wanted = try store.context().fetch(FetchDescriptor<Vehicle>()).map(\.persistentModelID)
    for batchSize in [1, 2, 0] {
      let identifiers = try store.context().fetchIdentifiers(FetchDescriptor<Vehicle>(), batchSize: batchSize)
      #expect(Array(identifiers) == wanted)
    }
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Vehicle>(), batchSize: 1)
    let other = store.context()
    try other.delete(model: Vehicle.self)
    try other.save()
    #expect(Array(identifiers) == wanted)
  }

  @Test("counts and identifiers include the class and its subclasses", arguments: Engine.allCases)
  func countsAndIdentifiers(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    let writer = try store.saveVehicles()
    let saved = try writer.fetch(FetchDescriptor<Vehicle>())
    let context = store.context()
    #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 5)
    #expect(try context.fetchCount(FetchDescriptor<Motorcar>()) == 2)
    #expect(try context.fetchCount(FetchDescriptor<Truck>(predicate: #Predicate { $0.size > 20 })) == 0)
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Vehicle>())
    #expect(identifiers == saved.map(\.persistentModelID))
    #expect(identifiers.map(\.entityName) == ["Vehicle", "Motorcar", "SportsCar", "Truck", "Bicycle"])
    #expect(try context.fetchIdentifiers(FetchDescriptor<Motorcar>()) == [identifiers[1], identifiers[2]])
    #expect(try context.fetchIdentifiers(FetchDescriptor<SportsCar>()) == [identifiers[2]])
  }

  @Test("identifiers have the actual classes even if the base has a constant", arguments: Engine.allCases)
  func identifiersWithConstants(_ engine: Engine) throws {
    let store = try TestStore(engine, [Permit.self, TravelPermit.self])
    let writer = store.context()
    writer.insert(Permit(1, holder: "Ada"))
    writer.insert(TravelPermit(2, holder: "Bo", country: "NO"))
    try writer.save()
    let context = store.context()
    let wanted = try writer.fetch(FetchDescriptor<Permit>()).map(\.persistentModelID)
    #expect(try context.fetchIdentifiers(FetchDescriptor<Permit>()) == wanted)
    #expect(Array(try context.fetchIdentifiers(FetchDescriptor<Permit>(), batchSize: 1)) == wanted)
    #expect(wanted.map(\.entityName) == ["Permit", "TravelPermit"])
  }

  @Test("an inherited property filters and sorts a fetch by any class", arguments: Engine.allCases)
  func inheritedProperties(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.saveVehicles()
    let context = store.context()
    #expect(try context.vehicles(Motorcar.self, #Predicate { $0.name == "Testarossa" }) == ["SportsCar Testarossa"])
    #expect(try context.vehicles(Vehicle.self, #Predicate { $0.wheels > 4 }) == ["Truck Actros"])
    #expect(try context.vehicles(SportsCar.self, #Predicate { $0.doors == 2 && $0.topSpeed > 200 }).count == 1)
    let sorted = try context.fetch(FetchDescriptor<Motorcar>(sortBy: [SortDescriptor(\.name, order: .reverse)]))
    #expect(sorted.map(\.name) == ["Testarossa", "Beetle"])
  }

  @Test("generic code can fetch any class", arguments: Engine.allCases)
  func generic(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.saveVehicles()
    let context = store.context()
    func named<T: Vehicle>(_ name: String, _ type: T.Type) throws -> T? {
      try context.fetch(FetchDescriptor<T>(predicate: #Predicate { $0.name == name })).first
    }
    func all<T: PersistentModel>(_ type: T.Type) throws -> Int { try context.fetch(FetchDescriptor<T>()).count }
    #expect(try named("Beetle", Vehicle.self) === named("Beetle", Motorcar.self))
    #expect(try named("Beetle", Truck.self) == nil)
    #expect(try all(Vehicle.self) == 5)
    #expect(try all(Motorcar.self) == 2)
  }

  @Test("a limit and an offset count the rows of the class", arguments: Engine.allCases)
  func window(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.saveVehicles()
    var descriptor = FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)])
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    #expect(try store.context().fetch(descriptor).map(\.name) == ["Beetle", "Cart"])
    #expect(try store.context().fetchCount(descriptor) == 2)
    var cars = FetchDescriptor<Motorcar>()
    cars.fetchLimit = 1
    cars.fetchOffset = 1
    #expect(try store.context().fetch(cars).map(\.name) == ["Testarossa"])
  }

  @Test("a partial fetch reads the other properties of every class on first access", arguments: Engine.allCases)
  func partial(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.saveVehicles()
    let context = store.context()
    var descriptor = FetchDescriptor<Vehicle>()
    descriptor.propertiesToFetch = [\.name]
    let vehicles = try context.fetch(descriptor)
    #expect(vehicles.map(\.name) == ["Cart", "Beetle", "Testarossa", "Actros", "Roadster"])
    #expect((vehicles[1] as? Motorcar)?.doors == 3)
    #expect((vehicles[2] as? SportsCar)?.topSpeed == 290)
    #expect((vehicles[2] as? SportsCar)?.maker == "Ferrari")
    #expect(vehicles[3].wheels == 6)
    #expect((vehicles[3] as? Truck)?.size == 18)
    var cars = FetchDescriptor<Motorcar>()
    cars.propertiesToFetch = [\.wheels, \.doors]
    let other = store.context()
    #expect(try other.fetch(cars).map(\.doors) == [3, 2])
    #expect(try other.fetch(cars).map(\.name) == ["Beetle", "Testarossa"])
  }
}
