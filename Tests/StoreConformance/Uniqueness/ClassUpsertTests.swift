import SwiftData
import Testing

@Suite("Upserts of subclasses by a unique value that the base class declares", .serialized)
struct ClassUpsertTests {
  private typealias Make = @Sendable () -> Vehicle

  private static func vehicle<T: Vehicle>(_ vehicle: T, _ serial: String = "s") -> T {
    vehicle.serial = serial
    return vehicle
  }

  /// Pairs of classes of one hierarchy. An upsert cannot change the class of a row from the first to the second.
  private static let pairs: [(String, Make, String, Make)] = [
    ("SportsCar", { vehicle(SportsCar("A", topSpeed: 1)) }, "Truck", { vehicle(Truck("B", size: 2)) }),
    ("Truck", { vehicle(Truck("A", size: 1)) }, "SportsCar", { vehicle(SportsCar("B", topSpeed: 2)) }),
    ("Bicycle", { vehicle(Bicycle("A")) }, "Vehicle", { vehicle(Vehicle("B")) }),
    ("Vehicle", { vehicle(Vehicle("A")) }, "Bicycle", { vehicle(Bicycle("B")) }),
    ("Motorcar", { vehicle(Motorcar("A", doors: 3)) }, "SportsCar", { vehicle(SportsCar("B", topSpeed: 2)) }),
    ("SportsCar", { vehicle(SportsCar("A", topSpeed: 1)) }, "Motorcar", { vehicle(Motorcar("B", doors: 3)) }),
  ]

  private func expectRefusal(_ context: ModelContext, _ first: String, _ second: String) throws {
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    let text = error?.explanation ?? ""
    for part in [first, second, "serial"] { #expect(text.contains(part), "\(text) lacks \(part)") }
  }

  @Test(
    "a save whose upsert would change the class of a row throws an error that names both classes",
    arguments: Engine.allCases)
  func stored(_ engine: Engine) throws {
    for (first, makeFirst, second, makeSecond) in Self.pairs {
      for isRegistered in [false, true] {
        let store = try TestStore(engine, vehicleModels)
        let context = store.context()
        var known: [Vehicle] = [makeFirst()]
        try store.keep(known[0])
        known = isRegistered ? try context.fetch(FetchDescriptor<Vehicle>()) : []
        let new = makeSecond()
        context.insert(new)
        try expectRefusal(context, first, second)
        #expect(context.hasChanges && !new.isDeleted)
        #expect(known.map(\.name) == (isRegistered ? ["A"] : []))
        #expect(try store.context().vehicles(Vehicle.self) == ["\(first) A"])
        new.serial = "t"
        try context.save()
        #expect(try store.context().vehicles(Vehicle.self) == ["\(first) A", "\(second) B"])
      }
    }
  }

  @Test("a save throws if two new models of different classes have the same unique value", arguments: Engine.allCases)
  func together(_ engine: Engine) throws {
    for (first, makeFirst, second, makeSecond) in Self.pairs {
      let store = try TestStore(engine, vehicleModels)
      let context = store.context()
      let new = [makeFirst(), makeSecond()]
      for vehicle in new { context.insert(vehicle) }
      try expectRefusal(context, first, second)
      #expect(try store.context().vehicles(Vehicle.self).isEmpty)
      context.delete(new[1])
      try context.save()
      #expect(try store.context().vehicles(Vehicle.self) == ["\(first) A"])
    }
  }

  @Test("with the policy .throwError, the error names the base class and the property", arguments: Engine.allCases)
  func throwing(_ engine: Engine) throws {
    for (_, makeFirst, second, makeSecond) in Self.pairs {
      let store = try TestStore(engine, vehicleModels, uniquenessPolicy: .throwError)
      try store.keep(makeFirst())
      let context = store.context()
      context.insert(makeSecond())
      try expectRefusal(context, "Vehicle", "serial")
      #expect(try store.context().fetchCount(FetchDescriptor<Vehicle>()) == 1, "\(second)")
    }
  }

  @Test("another class can reuse the unique value of a row that the same save deletes", arguments: Engine.allCases)
  func replaced(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.keep(Self.vehicle(SportsCar("A", topSpeed: 1)))
    let context = store.context()
    try context.delete(model: SportsCar.self)
    context.insert(Self.vehicle(Truck("B", size: 2)))
    try context.save()
    #expect(try store.context().vehicles(Vehicle.self) == ["Truck B"])
  }

  @Test(
    "if such a save throws in a transaction, the other changes of the transaction are kept", arguments: Engine.allCases)
  func transaction(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.keep(Self.vehicle(SportsCar("A", topSpeed: 1)))
    let context = store.context()
    try context.transaction {
      context.insert(Bicycle("C"))
      try context.save()
      let truck = Self.vehicle(Truck("B", size: 2))
      context.insert(truck)
      #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
      truck.serial = nil
    }
    #expect(try store.context().vehicles(Vehicle.self) == ["SportsCar A", "Bicycle C", "Truck B"])
  }

  @Test(
    "a new object of a subclass updates the row of the same class with its unique value", arguments: Engine.allCases,
    [false, true])
  func sameClass(_ engine: Engine, isRegistered: Bool) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.keep(Self.vehicle(SportsCar("A", topSpeed: 1)))
    let context = store.context()
    let known = isRegistered ? try context.fetch(FetchDescriptor<Vehicle>()) : []
    let new = Self.vehicle(SportsCar("B", topSpeed: 2))
    context.insert(new)
    try context.save()
    #expect(known.allSatisfy { $0.name == "B" && ($0 as? SportsCar)?.topSpeed == 2 && $0 == new })
    #expect(try store.context().vehicles(SportsCar.self) == ["SportsCar B"])
  }

  @Test(
    "to-one relationships whose type is the base class refer to the row that an upsert updated",
    arguments: Engine.allCases, [false, true])
  func toOne(_ engine: Engine, isRegistered: Bool) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.keep(Self.vehicle(Bicycle("A")), Self.vehicle(SportsCar("F", topSpeed: 1), "f"))
    let context = store.context()
    let known = isRegistered ? try context.fetch(FetchDescriptor<Vehicle>()) : []
    // The save writes trucks before bicycles. So when it finds the existing row of the bicycle, it has already written
    // the truck's reference to the bicycle.
    let truck = Truck("T", size: 1)
    truck.trailer = Self.vehicle(Bicycle("B"))
    let pending = Truck("P", size: 2)
    context.insert(pending)
    pending.trailer = truck.trailer
    let garage = Garage("G")
    garage.best = Self.vehicle(SportsCar("E", topSpeed: 2), "f")
    context.insert(truck)
    context.insert(garage)
    try context.save()
    #expect(known.map(\.name).sorted() == (isRegistered ? ["B", "E"] : []))
    let fresh = store.context()
    #expect(try fresh.vehicles(Vehicle.self).sorted() == ["Bicycle B", "SportsCar E", "Truck P", "Truck T"])
    for context in [context, fresh] {
      for truck in try context.fetch(FetchDescriptor<Truck>()) {
        #expect(truck.trailer?.name == "B")
        let bicycles = try context.fetch(FetchDescriptor<Bicycle>())
        #expect(truck.trailer?.persistentModelID == bicycles.first?.persistentModelID)
      }
      #expect(try context.fetch(FetchDescriptor<Garage>()).map { $0.best?.name } == ["E"])
    }
  }

  @Test(
    "lists whose type is the base class contain the row that an upsert updated, at the object's position",
    arguments: Engine.allCases, [false, true])
  func toMany(_ engine: Engine, isRegistered: Bool) throws {
    let store = try TestStore(engine, vehicleModels)
    // The existing rows are in another garage, in an order that differs from the order of their keys.
    let former = Garage("former")
    former.vehicles = [Vehicle("first"), Self.vehicle(Bicycle("A"), "b"), Self.vehicle(Motorcar("M", doors: 2), "m")]
    former.guests = former.vehicles.compactMap { $0 as? Motorcar }
    try store.keep(former)
    let mover = store.context()
    let moved = try mover.one("former", Garage.self)
    moved.vehicles = [moved.vehicles[2], moved.vehicles[1], moved.vehicles[0]]
    try mover.save()
    let context = store.context()
    let known = isRegistered ? try context.fetch(FetchDescriptor<Garage>()).flatMap(\.vehicles) : []
    let garage = Garage("new")
    context.insert(garage)
    garage.vehicles = [
      Truck("T", size: 1), Self.vehicle(Motorcar("N", doors: 4), "m"), Self.vehicle(Bicycle("B"), "b"),
    ]
    garage.guests = [Motorcar("X", doors: 1), try #require(garage.vehicles[1] as? Motorcar)]
    try context.save()
    _ = known
    for context in [context, store.context()] {
      let garage: Garage = try context.one("new")
      #expect(garage.vehicles.map(\.name) == ["T", "N", "B"])
      #expect(garage.guests.map(\.name) == ["X", "N"])
      for vehicle in garage.vehicles { #expect(vehicle.garage === garage) }
      #expect(try context.one("former", Garage.self).vehicles.map(\.name) == ["first"])
      #expect(try context.one("former", Garage.self).guests.map(\.name) == ["N"])
    }
  }
}

extension Garage: Named {}
