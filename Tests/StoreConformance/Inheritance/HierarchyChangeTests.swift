import Observation
import SwiftData
import Testing

@Suite("Changing objects of subclasses", .serialized)
struct HierarchyChangeTests {
  @Test(
    "separate saves store changes of inherited properties and of the class's own properties", arguments: Engine.allCases
  )
  func updates(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.saveVehicles()
    let context = store.context()
    let sports = try #require(try context.fetch(FetchDescriptor<SportsCar>()).first)
    sports.name = "F40"
    try context.save()
    sports.topSpeed = 324
    sports.tags.append("red")
    try context.save()
    sports.doors = 3
    sports.size = "small"
    #expect(sports.hasChanges)
    try context.save()
    try store.reopen()
    let found = try #require(
      try store.context().fetch(FetchDescriptor<Vehicle>()).first { $0 is SportsCar } as? SportsCar)
    #expect(found.name == "F40")
    #expect(found.topSpeed == 324)
    #expect(found.tags == ["fast", "red"])
    #expect(found.doors == 3)
    #expect(found.size == "small")
    #expect(found.maker == "Ferrari")
  }

  @Test(
    "if a predicate deletes rows of subclasses, didSave lists the identifiers that name their actual class",
    arguments: Engine.allCases)
  func batchDeletion(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.saveVehicles()
    let all = try store.context().fetch(FetchDescriptor<Vehicle>()).map(\.persistentModelID)
    let context = store.context()
    let posted = Log<[PersistentIdentifier]>()
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      posted.add($0.userInfo?["deletedIdentifiers"] as? [PersistentIdentifier] ?? [])
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.delete(model: Truck.self)
    try context.save()
    try context.delete(model: Vehicle.self)
    try context.save()
    #expect(posted.entries.map(\.count) == [1, 4])
    #expect(Set(posted.entries.joined()) == Set(all))
  }

  @Test(
    "objects of each class can be deleted, whether they were fetched by the base class or by their own class",
    arguments: Engine.allCases)
  func deletions(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.saveVehicles()
    let context = store.context()
    let vehicles = try context.fetch(FetchDescriptor<Vehicle>())
    context.delete(vehicles[1])
    context.delete(try #require(try context.fetch(FetchDescriptor<Truck>()).first))
    try context.save()
    #expect(vehicles[1].isDeleted)
    #expect(try store.context().vehicles(Vehicle.self) == ["Vehicle Cart", "SportsCar Testarossa", "Bicycle Roadster"])
  }

  @Test(
    "no two objects of a hierarchy have the same key, and identifiers name the actual class",
    arguments: Engine.allCases)
  func identifiers(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    let context = store.context()
    let car: Vehicle = Motorcar("Beetle", doors: 3)
    let early = car.persistentModelID
    #expect(early.entityName == "Motorcar")
    context.insert(car)
    context.insert(Truck("Actros", size: 1))
    #expect(context.registeredModel(for: early) as Vehicle? === car)
    try context.save()
    #expect(early == car.persistentModelID)
    #expect(car.persistentModelID.entityName == "Motorcar")
    let keys = try context.fetch(FetchDescriptor<Vehicle>()).map(\.persistentModelID.primaryKeyTextForTests)
    #expect(Set(keys).count == 2)
  }

  @Test(
    "a look-up by identifier finds the object as its class and as its superclasses, but as no other class",
    arguments: Engine.allCases)
  func lookUps(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    let ids = try store.saveVehicles().fetch(FetchDescriptor<Vehicle>()).map(\.persistentModelID)
    let context = store.context()
    let asBase: Vehicle = try context.existingModel(for: ids[2])
    let asCar: Motorcar = try context.existingModel(for: ids[2])
    let asItself: SportsCar = try context.existingModel(for: ids[2])
    #expect(asBase === asCar && asCar === asItself)
    #expect(context.model(for: ids[2]) === asItself)
    #expect(context.registeredModel(for: ids[2]) as Vehicle? === asItself)
    #expect(context.registeredModel(for: ids[2]) as Truck? == nil)
    #expect(context[ids[2], as: Truck.self] == nil)
    #expect(throws: SwiftDataError.modelNotFound) { try context.existingModel(for: ids[2]) as Bicycle }
    let truck = store.context().model(for: ids[3])
    #expect((truck as? Truck)?.size == 18)
  }

  @Test(
    "a unique property is unique among all rows of the class that declares it, including rows of subclasses",
    arguments: Engine.allCases)
  func uniqueness(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    let context = store.context()
    let trucks = [Truck("a", size: 1), Truck("b", size: 2)]
    trucks[0].plate = "1"
    trucks[1].plate = "2"
    for truck in trucks { context.insert(truck) }
    for index in 0..<3 { context.insert(Motorcar("car \(index)", doors: index)) }
    try context.save()
    let car = try #require(try context.fetch(FetchDescriptor<Motorcar>()).first)
    car.serial = "s"
    trucks[0].serial = "t"
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Vehicle>(predicate: #Predicate { $0.serial != nil })) == 2)
  }

  @Test("a rollback and a transaction that throws restore objects of every class", arguments: Engine.allCases)
  func undoing(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.saveVehicles()
    let context = store.context()
    let sports = try #require(try context.fetch(FetchDescriptor<SportsCar>()).first)
    sports.name = "x"
    sports.topSpeed = 1
    context.insert(Motorcar("new", doors: 1))
    context.rollback()
    #expect(sports.name == "Testarossa")
    #expect(sports.topSpeed == 290)
    #expect(try context.fetchCount(FetchDescriptor<Motorcar>()) == 2)
    sports.doors = 7
    #expect(throws: Failure.self) {
      try context.transaction {
        sports.topSpeed = 2
        sports.name = "y"
        try context.save()
        context.delete(sports)
        throw Failure()
      }
    }
    #expect(sports.name == "Testarossa")
    #expect(sports.topSpeed == 290)
    #expect(sports.doors == 7)
    #expect(!sports.isDeleted)
  }

  @Test(
    "observers are notified of changes of inherited properties and of the class's own properties",
    arguments: Engine.allCases)
  func observation(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    let context = store.context()
    let sports = SportsCar("a", topSpeed: 1)
    context.insert(sports)
    let inherited = Flag()
    withObservationTracking {
      _ = sports.name
    } onChange: {
      inherited.raise()
    }
    (sports as Vehicle).name = "b"
    #expect(inherited.isRaised)
    let own = Flag()
    withObservationTracking {
      _ = sports.topSpeed
    } onChange: {
      own.raise()
    }
    sports.topSpeed = 2
    #expect(own.isRaised)
  }

  @Test(
    "a fetch of the base class refreshes an object of a subclass that another context saved", arguments: Engine.allCases
  )
  func refresh(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    try store.saveVehicles()
    let context = store.context()
    let sports = try #require(try context.fetch(FetchDescriptor<SportsCar>()).first)
    let other = store.context()
    let same = try #require(try other.fetch(FetchDescriptor<SportsCar>()).first)
    same.topSpeed = 300
    same.name = "renamed"
    try other.save()
    let again = try context.fetch(FetchDescriptor<Vehicle>())
    #expect(again.contains { $0 === sports })
    #expect(sports.topSpeed == 300)
    #expect(sports.name == "renamed")
  }

  @Test("setValue and getValue accept key paths of the class and of the base class")
  func keyPaths() throws {
    let store = try TestStore(.memory, vehicleModels)
    let context = store.context()
    let car = Motorcar("a", doors: 1)
    context.insert(car)
    car.setValue(forKey: \.doors, to: 9)
    car.setValue(forKey: \.name, to: "b")
    #expect(car.doors == 9)
    #expect(car.name == "b")
    #expect(car.getValue(forKey: \.doors) == 9)
    #expect(car.getValue(forKey: \.name) == "b")
  }
}

extension PersistentIdentifier {
  /// The primary key, taken from the text form of the identifier.
  fileprivate var primaryKeyTextForTests: String { "\(self)".split(separator: "/").last.map(String.init) ?? "" }
}
