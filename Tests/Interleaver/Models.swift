import SwiftData

/// The models of a run: a class with subclasses, whose rows have a unique serial number, and their owners with lists.
enum Garage {
  static let models: [any PersistentModel.Type] = [Owner.self, Vehicle.self, Car.self, Truck.self]

  static func container(_ file: URL) throws -> ModelContainer {
    try ModelContainer(for: Schema(models), configurations: ModelConfiguration(url: file))
  }
}

@Model final class Owner {
  @Attribute(.unique) var number: Int
  var score: Int = 0
  @Relationship(deleteRule: .cascade, inverse: \Vehicle.owner) var vehicles: [Vehicle] = []

  init(_ number: Int) { self.number = number }
}

@Model class Vehicle {
  @Attribute(.unique) var serial: Int
  var value: Int
  var owner: Owner?

  init(_ serial: Int, value: Int) {
    self.serial = serial
    self.value = value
  }
}

@Model final class Car: Vehicle {
  var doors: Int = 4

  override init(_ serial: Int, value: Int) { super.init(serial, value: value) }
}

@Model final class Truck: Vehicle {
  var load: Int = 0

  override init(_ serial: Int, value: Int) { super.init(serial, value: value) }
}
