import SwiftData
import Testing

@Suite("Predicates with 'is' and 'as?' on a class hierarchy", .serialized)
struct HierarchyPredicateTests {
  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, vehicleModels)
    try store.saveVehicles()
    return store
  }

  /// The names of the vehicles that a fetch finds. Expects that evaluating the predicate in memory finds the same
  /// vehicles.
  private func found(_ store: TestStore, _ predicate: Predicate<Vehicle>) throws -> [String] {
    let context = store.context()
    let evaluated = try context.fetch(FetchDescriptor<Vehicle>()).filter { try predicate.evaluate($0) }.map(\.name)
    let names = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
    #expect(names == evaluated)
    return names
  }

  @Test("'is' finds the objects of a class and of its subclasses", arguments: Engine.allCases)
  func typeCheck(_ engine: Engine) throws {
    let store = try store(engine)
    #expect(try found(store, #Predicate { $0 is Motorcar }) == ["Beetle", "Testarossa"])
    #expect(try found(store, #Predicate { $0 is SportsCar }) == ["Testarossa"])
    #expect(try found(store, #Predicate { !($0 is Motorcar) }) == ["Cart", "Actros", "Roadster"])
    #expect(try found(store, #Predicate { $0 is Truck || $0.name == "Cart" }) == ["Cart", "Actros"])
  }

  @Test("'as?' gives access to properties of a subclass", arguments: Engine.allCases)
  func conditionalCast(_ engine: Engine) throws {
    let store = try store(engine)
    #expect(try found(store, #Predicate { ($0 as? Motorcar)?.doors == 3 }) == ["Beetle"])
    #expect(try found(store, #Predicate { ($0 as? Motorcar)?.name == "Actros" }) == [])
    #expect(try found(store, #Predicate { ($0 as? SportsCar)?.doors == 2 }) == ["Testarossa"])
    #expect(try found(store, #Predicate { ($0 as? Motorcar)?.size == nil }).count == 5)
    #expect(try found(store, #Predicate { ($0 as? Truck)?.size != 18 }).count == 4)
    #expect(try found(store, #Predicate { ($0 as? Motorcar) != nil }) == ["Beetle", "Testarossa"])
    #expect(
      try found(
        store,
        #Predicate {
          if let sports = $0 as? SportsCar { sports.topSpeed > 200 } else { $0.wheels == 2 }
        }) == ["Testarossa", "Roadster"])
  }

  @Test("a predicate of a subclass can test and cast to its own subclasses", arguments: Engine.allCases)
  func castOfSubclass(_ engine: Engine) throws {
    let context = try store(engine).context()
    #expect(try context.vehicles(Motorcar.self, #Predicate { $0 is SportsCar }) == ["SportsCar Testarossa"])
    #expect(
      try context.vehicles(Motorcar.self, #Predicate { (($0 as? SportsCar)?.topSpeed ?? 0) > 100 })
        == ["SportsCar Testarossa"])
  }

  @Test(
    "a predicate on an identifier finds the object in fetches of its class and of the base class",
    arguments: Engine.allCases)
  func identifiers(_ engine: Engine) throws {
    let store = try store(engine)
    let car = try #require(try store.context().fetch(FetchDescriptor<Motorcar>()).first)
    let id = car.persistentModelID
    let context = store.context()
    #expect(try context.vehicles(Vehicle.self, #Predicate { $0.persistentModelID == id }) == ["Motorcar Beetle"])
    #expect(try context.vehicles(Motorcar.self, #Predicate { $0.persistentModelID == id }) == ["Motorcar Beetle"])
    #expect(try context.vehicles(Truck.self, #Predicate { $0.persistentModelID == id }) == [])
  }

  @Test(
    "a predicate on the identifier of a cast object finds the object, even if related models have unsaved changes",
    arguments: Engine.allCases)
  func identifierBehindCast(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let garage = Garage("North")
    garage.vehicles = try context.fetch(FetchDescriptor<Vehicle>())
    try context.save()
    let id = try #require(try context.fetch(FetchDescriptor<SportsCar>()).first).persistentModelID
    let isIt = #Predicate<Vehicle> { ($0 as? Motorcar)?.persistentModelID == id && $0.garage?.name == "South" }
    #expect(try context.vehicles(Vehicle.self, isIt) == [])
    garage.name = "South"
    #expect(try context.vehicles(Vehicle.self, isIt) == ["SportsCar Testarossa"])
    #expect(try context.fetchIdentifiers(FetchDescriptor(predicate: isIt)) == [id])
    #expect(try context.fetchCount(FetchDescriptor(predicate: isIt)) == 1)
  }

  @Test(
    "predicates compare the unsaved values of changed, inserted and deleted objects of every class",
    arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let beetle = try #require(try context.fetch(FetchDescriptor<Motorcar>()).first)
    beetle.doors = 5
    context.insert(Truck("Unimog", size: 4))
    let actros = try #require(try context.fetch(FetchDescriptor<Truck>()).first)
    context.delete(actros)
    #expect(try context.vehicles(Vehicle.self, #Predicate { ($0 as? Motorcar)?.doors == 3 }) == [])
    #expect(try context.vehicles(Vehicle.self, #Predicate { ($0 as? Motorcar)?.doors == 5 }) == ["Motorcar Beetle"])
    #expect(try context.vehicles(Vehicle.self, #Predicate { $0 is Truck }) == ["Truck Unimog"])
    #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 5)
    #expect(try context.fetchCount(FetchDescriptor<Motorcar>()) == 2)
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Vehicle>())
    #expect(identifiers.map(\.entityName) == ["Vehicle", "Motorcar", "SportsCar", "Bicycle", "Truck"])
  }
}
