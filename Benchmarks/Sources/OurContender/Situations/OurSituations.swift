import BenchmarkCore
import Foundation
import SwiftData

/// The situations by the library, through Apple's public API alone.
public struct OurSituations: SituationContender {
  public let name = "ours"
  public let title = "OpenSwiftData"

  public init() {}

  public func run(_ situation: Situation, _ plan: SituationPlan, in folder: URL, _ stopwatch: Stopwatch) throws -> Int {
    let file = folder.appending(path: "situation.store")
    let configuration = ModelConfiguration.withoutHistory(file)
    switch situation {
    case .shortContexts: return try Self.filled(file, plan).shortContexts(plan, stopwatch)
    case .secondContext: return try Self.filled(file, plan).secondContext(plan, stopwatch)
    case .manyRegistered: return try Self.filled(file, plan).manyRegistered(plan, stopwatch)
    case .observedProperties: return try Self.filled(file, plan).readThreeProperties(stopwatch)
    case .undo: return try Self.filled(file, plan).changesWithUndo(plan, stopwatch)
    case .inheritance:
      let models: [any PersistentModel.Type] = [Vehicle.self, Motorcar.self, SportsCar.self]
      return try OurModelSituations(
        try ModelContainer(for: Schema(models), configurations: configuration)
      ).vehicles(plan, stopwatch)
    case .composites:
      return try OurModelSituations(
        try ModelContainer(for: Parcel.self, configurations: configuration)
      ).parcels(plan, stopwatch)
    case .externalValues:
      return try OurModelSituations(
        try ModelContainer(for: Scan.self, configurations: configuration)
      ).scans(plan, stopwatch)
    case .entities: return try Forms.open(file, plan, stopwatch)
    case .readersAndWriter: return try Self.filled(file, plan).readersAndWriter(plan, stopwatch)
    case .encryption:
      return try OurModelSituations(
        try ModelContainer(for: Letter.self, configurations: Self.encrypting(configuration, plan))
      ).letters(plan, stopwatch)
    }
  }

  private static func encrypting(_ configuration: ModelConfiguration, _ plan: SituationPlan) -> ModelConfiguration {
    var configuration = configuration
    configuration.encryptionKey = ModelConfiguration.EncryptionKey(bytes: plan.encryptionKey)
    return configuration
  }

  /// Inserts the items, closes the store, and opens it again, so that no page of the insertion is in memory.
  private static func filled(_ file: URL, _ plan: SituationPlan) throws -> OurItemSituations {
    _ = try OurContender().create(file).insert(plan.items.makeItems(), Stopwatch())
    // Writes changed pages to the disk now, so that the system does not write them during the measurement.
    sync()
    return OurItemSituations(try ModelContainer(for: Item.self, configurations: .withoutHistory(file)))
  }
}
