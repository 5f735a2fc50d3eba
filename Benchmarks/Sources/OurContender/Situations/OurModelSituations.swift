import BenchmarkCore
import Foundation
import SwiftData

/// The situations with models of their own, by the library. Each one inserts objects in one context, and fetches them
/// in another.
struct OurModelSituations {
  private let container: ModelContainer

  init(_ container: ModelContainer) {
    self.container = container
  }

  func vehicles(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    try insert(plan.makeVehicles().map(Vehicle.make), stopwatch)
    let context = ModelContext(container)
    let (vehicles, sum) = try stopwatch.measure {
      let vehicles = try context.fetch(FetchDescriptor<Vehicle>())
      return (vehicles, vehicles.reduce(0) { $0 + Double($1.wheels) + (($1 as? SportsCar)?.topSpeed ?? 0) })
    }
    return vehicles.reduce(Int(sum)) { $0 &+ $1.values.checksum }
  }

  func parcels(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    try insert(plan.makeParcels().map { Parcel($0) }, stopwatch)
    let context = ModelContext(container)
    let (parcels, sum) = try stopwatch.measure {
      let parcels = try context.fetch(FetchDescriptor<Parcel>())
      return (parcels, parcels.reduce(0) { $0 + $1.details.weight + Double($1.details.pieces) })
    }
    return parcels.reduce(Int(sum)) { $0 &+ ParcelValues(name: $1.name, details: $1.details).checksum }
  }

  /// A value is read from its file when the program reads the property.
  func scans(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    try insert(plan.makeScans().map { Scan($0) }, stopwatch)
    let context = ModelContext(container)
    let scans = try stopwatch.measure {
      try context.fetch(FetchDescriptor<Scan>()).map { ScanValues(name: $0.name, content: $0.content) }
    }
    return scans.reduce(0) { $0 &+ $1.checksum }
  }

  /// A text is decrypted when the program reads the property.
  func letters(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    try insert(plan.makeLetters().map { Letter($0) }, stopwatch)
    let context = ModelContext(container)
    let letters = try stopwatch.measure {
      try context.fetch(FetchDescriptor<Letter>()).map { LetterValues(name: $0.name, text: $0.text) }
    }
    return letters.reduce(0) { $0 &+ $1.checksum }
  }

  private func insert(_ models: [some PersistentModel], _ stopwatch: Stopwatch) throws {
    let context = ModelContext(container)
    try stopwatch.measure {
      for model in models { context.insert(model) }
      try context.save()
    }
  }
}
