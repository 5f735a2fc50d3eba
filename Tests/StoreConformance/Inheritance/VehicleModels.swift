import SwiftData

// A hierarchy with three levels and several subclasses at one level. Every level has relationships in both directions,
// and some levels have indexes and unique attributes.

@Model
class Vehicle {
  var name: String
  var wheels: Int
  var made: Date?
  @Attribute(.unique) var serial: String?
  var garage: Garage?
  @Relationship(inverse: nil) var parts: [Part] = []

  init(_ name: String, wheels: Int = 4) {
    self.name = name
    self.wheels = wheels
  }
}

@Model
class Motorcar: Vehicle {
  #Index<Motorcar>([\.doors], [\.name, \.doors])
  var doors: Int
  var size: String?
  var spare: Part?

  init(_ name: String, doors: Int) {
    self.doors = doors
    super.init(name)
  }
}

@Model
final class SportsCar: Motorcar {
  var topSpeed: Double
  var tags: [String] = ["fast"]
  let maker: String

  init(_ name: String, topSpeed: Double, maker: String = "unknown") {
    self.topSpeed = topSpeed
    self.maker = maker
    super.init(name, doors: 2)
  }
}

@Model
final class Truck: Vehicle {
  // `Motorcar` has a property with the same name and a different type.
  var size: Int
  @Attribute(.unique) var plate: String?
  var trailer: Vehicle?

  init(_ name: String, size: Int) {
    self.size = size
    super.init(name, wheels: 6)
  }
}

/// A subclass without properties of its own.
@Model
final class Bicycle: Vehicle {
  init(_ name: String) { super.init(name, wheels: 2) }
}

@Model
final class Garage {
  var name: String
  @Relationship(inverse: \Vehicle.garage) var vehicles: [Vehicle] = []
  var best: Motorcar?
  @Relationship(inverse: nil) var guests: [Motorcar] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Part {
  var name: String

  init(_ name: String) { self.name = name }
}

/// A base class with a constant. The constant's column precedes the columns of the subclass.
@Model
class Permit {
  let number: Int
  var holder: String

  init(_ number: Int, holder: String) {
    self.number = number
    self.holder = holder
  }
}

@Model
final class TravelPermit: Permit {
  var country: String

  init(_ number: Int, holder: String, country: String) {
    self.country = country
    super.init(number, holder: holder)
  }
}

let vehicleModels: [any PersistentModel.Type] = [
  Vehicle.self, Motorcar.self, SportsCar.self, Truck.self, Bicycle.self, Garage.self, Part.self,
]

extension TestStore {
  /// Saves one vehicle of each class.
  @discardableResult
  func saveVehicles() throws -> ModelContext {
    let context = context()
    for vehicle in [
      Vehicle("Cart"), Motorcar("Beetle", doors: 3), SportsCar("Testarossa", topSpeed: 290, maker: "Ferrari"),
      Truck("Actros", size: 18), Bicycle("Roadster"),
    ] { context.insert(vehicle) }
    try context.save()
    return context
  }
}

extension ModelContext {
  /// Fetches the vehicles of a type that match the predicate, and returns their actual class and name, in the order of
  /// the rows.
  func vehicles<T: Vehicle>(_ type: T.Type, _ predicate: Predicate<T>? = nil) throws -> [String] {
    try fetch(FetchDescriptor(predicate: predicate)).map { "\(Swift.type(of: $0)) \($0.name)" }
  }
}
