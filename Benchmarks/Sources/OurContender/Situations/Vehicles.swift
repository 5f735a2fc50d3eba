import BenchmarkCore
import SwiftData

/// The base class of three levels. The library stores all levels in one table.
@Model class Vehicle {
  var name: String
  var wheels: Int
  var weight: Double

  init(_ values: VehicleValues) {
    (name, wheels, weight) = (values.name, values.wheels, values.weight)
  }

  static func make(_ values: VehicleValues) -> Vehicle {
    switch values.kind {
    case .vehicle: Vehicle(values)
    case .motorcar: Motorcar(values)
    case .sportsCar: SportsCar(values)
    }
  }

  /// The values for the checksum.
  var values: VehicleValues {
    VehicleValues(kind: .vehicle, name: name, wheels: wheels, weight: weight)
  }
}

/// The class of the second level.
@Model class Motorcar: Vehicle {
  var doors: Int
  var maker: String

  override init(_ values: VehicleValues) {
    (doors, maker) = (values.doors, values.maker)
    super.init(values)
  }

  override var values: VehicleValues {
    VehicleValues(kind: .motorcar, name: name, wheels: wheels, weight: weight, doors: doors, maker: maker)
  }
}

/// The class of the third level.
@Model final class SportsCar: Motorcar {
  var topSpeed: Double

  override init(_ values: VehicleValues) {
    topSpeed = values.topSpeed
    super.init(values)
  }

  override var values: VehicleValues {
    VehicleValues(
      kind: .sportsCar, name: name, wheels: wheels, weight: weight, doors: doors, maker: maker, topSpeed: topSpeed)
  }
}
