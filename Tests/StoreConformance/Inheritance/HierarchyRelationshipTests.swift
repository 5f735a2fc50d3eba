import SwiftData
import Testing

@Suite("Relationships of base classes and subclasses", .serialized)
struct HierarchyRelationshipTests {
  private func fill(_ store: TestStore) throws {
    let context = store.context()
    let garage = Garage("g")
    context.insert(garage)
    let sports = SportsCar("Testarossa", topSpeed: 290)
    let truck = Truck("Actros", size: 18)
    let bicycle = Bicycle("Roadster")
    garage.vehicles = [truck, sports, bicycle]
    garage.best = sports
    garage.guests = [sports]
    truck.trailer = sports
    sports.garage = garage
    sports.parts = [Part("wheel"), Part("seat")]
    sports.spare = Part("spare")
    try context.save()
  }

  @Test("a to-many relationship to a base class returns objects of their actual classes", arguments: Engine.allCases)
  func toMany(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try fill(store)
    try store.reopen()
    let context = store.context()
    let garage = try #require(try context.fetch(FetchDescriptor<Garage>()).first)
    #expect(
      garage.vehicles.map { "\(type(of: $0)) \($0.name)" } == [
        "Truck Actros", "SportsCar Testarossa", "Bicycle Roadster",
      ])
    #expect((garage.vehicles[1] as? SportsCar)?.topSpeed == 290)
    #expect(garage.guests.first === garage.vehicles[1])
  }

  @Test("a to-one relationship to a base class returns an object of its actual class", arguments: Engine.allCases)
  func toOne(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try fill(store)
    let context = store.context()
    let garage = try #require(try context.fetch(FetchDescriptor<Garage>()).first)
    let best = try #require(garage.best as? SportsCar)
    #expect(best.topSpeed == 290)
    let truck = try #require(try context.fetch(FetchDescriptor<Truck>()).first)
    #expect(truck.trailer === best)
    truck.trailer = nil
    garage.best = nil
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Truck>()).first?.trailer == nil)
    #expect(try store.context().fetch(FetchDescriptor<Garage>()).first?.best == nil)
  }

  @Test("objects of subclasses have the relationships that the base class declares", arguments: Engine.allCases)
  func inherited(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try fill(store)
    let context = store.context()
    let sports = try #require(try context.fetch(FetchDescriptor<SportsCar>()).first)
    #expect(sports.garage?.name == "g")
    #expect(sports.parts.map(\.name) == ["wheel", "seat"])
    #expect(sports.spare?.name == "spare")
    sports.parts.removeFirst()
    try context.save()
    let again = try #require(try store.context().fetch(FetchDescriptor<Vehicle>()).first { $0 is SportsCar })
    #expect(again.parts.map(\.name) == ["seat"])
  }

  @Test("objects of a hierarchy that retain each other are released with their context", arguments: Engine.allCases)
  func release(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try fill(store)
    weak var truck: Truck?
    do {
      let context = store.context()
      let found = try #require(try context.fetch(FetchDescriptor<Truck>()).first)
      _ = found.trailer
      let garage = try #require(try context.fetch(FetchDescriptor<Garage>()).first)
      _ = garage.vehicles
      _ = garage.vehicles[1].garage
      truck = found
    }
    #expect(truck == nil)
  }

  // MARK: Deletions and relationships without an inverse

  @Test(
    "deleting an object immediately removes it from the relationships of objects of a subclass",
    arguments: Engine.allCases, [1, 12])
  func subclassRefers(_ engine: Engine, _ count: Int) throws {
    let store = try TestStore(engine, vehicleModels)
    let context = store.context()
    let parts = (0..<count).map { Part("\($0)") }
    let cars = parts.map { SportsCar($0.name, topSpeed: 200) }
    for (car, part) in zip(cars, parts) {
      context.insert(car)
      car.spare = part
      car.parts = parts
    }
    try context.save()
    for (index, part) in parts.enumerated() {
      context.delete(part)
      #expect(cars[index].spare == nil)
      #expect(cars[0].parts.map(\.name) == parts[(index + 1)...].map(\.name))
    }
    try context.save()
    let stored = try store.context().fetch(FetchDescriptor<SportsCar>())
    #expect(stored.count == count && stored.allSatisfy { $0.spare == nil && $0.parts.isEmpty })
  }

  @Test(
    "deleting an object of a subclass immediately removes it from relationships to its base class",
    arguments: Engine.allCases,
    [1, 12])
  func subclassIsReferredTo(_ engine: Engine, _ count: Int) throws {
    let store = try TestStore(engine, vehicleModels)
    let context = store.context()
    let cars = (0..<count).map { SportsCar("\($0)", topSpeed: 200) }
    let trucks = cars.map { Truck($0.name, size: 18) }
    let garages = cars.map { Garage($0.name) }
    for (index, car) in cars.enumerated() {
      context.insert(garages[index])
      context.insert(trucks[index])
      trucks[index].trailer = car
      garages[index].best = car
      garages[index].guests = cars
    }
    try context.save()
    for (index, car) in cars.enumerated() {
      context.delete(car)
      #expect(trucks[index].trailer == nil && garages[index].best == nil)
      #expect(garages[0].guests.map(\.name) == cars[(index + 1)...].map(\.name))
    }
    try context.save()
    let stored = store.context()
    let storedTrucks = try stored.fetch(FetchDescriptor<Truck>())
    #expect(storedTrucks.count == count && storedTrucks.allSatisfy { $0.trailer == nil })
    let storedGarages = try stored.fetch(FetchDescriptor<Garage>())
    #expect(storedGarages.count == count && storedGarages.allSatisfy { $0.best == nil && $0.guests.isEmpty })
  }

  @Test(
    "if an upsert gave a row two objects, deletions clear the relationships of both objects",
    arguments: Engine.allCases, [0, 12])
  func secondRefers(_ engine: Engine, _ others: Int) throws {
    let store = try TestStore(engine, vehicleModels)
    let context = store.context()
    let part = Part("kept")
    let spares = (0..<others).map { Part("\($0)") }
    spares.forEach(context.insert)
    let cars = (0..<2).map { _ in Motorcar("Beetle", doors: 3) }
    for car in cars {
      car.serial = "s"
      car.spare = part
      context.insert(car)
      try context.save()
    }
    #expect(cars.allSatisfy { $0.spare === part })
    spares.forEach(context.delete)
    context.delete(part)
    #expect(cars.allSatisfy { $0.spare == nil && !$0.isDeleted })
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Motorcar>()).map { $0.spare == nil } == [true])
  }
}
