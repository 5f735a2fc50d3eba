import SwiftData
import Testing

@Suite("Relationships in a hierarchy", .serialized)
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

  @Test("a to-many relationship to the base holds instances of the actual classes", arguments: Engine.allCases)
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

  @Test("a to-one relationship to a base holds an instance of the actual class", arguments: Engine.allCases)
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

  @Test("relationships that the base declares belong to objects of subclasses too", arguments: Engine.allCases)
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

  @Test("objects of a hierarchy that relate to each other are freed with their context", arguments: Engine.allCases)
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
}
