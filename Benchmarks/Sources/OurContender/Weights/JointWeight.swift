import BenchmarkCore
import Foundation
import OpenSwiftData

/// Measures what it costs to migrate the stores of a container atomically: either all stores or none.
public struct JointWeight: Sendable {
  /// The time in milliseconds of one way to open three stores, and the peak disk space of their files in bytes.
  public struct Result: Sendable {
    public let title: String
    public let milliseconds: Double
    public let bytes: Int
  }

  public static func measure(rows: Int, in folder: URL) throws -> [Result] {
    [
      try measure("one container, migrated", rows, folder) { try open(.together, FleetAfter.self, $0) },
      try measure("three containers, migrated", rows, folder) { try open(.alone, FleetAfter.self, $0) },
      try measure("one container, as it is", rows, folder) { try open(.together, FleetBefore.self, $0) },
      try measure("three containers, as they are", rows, folder) { try open(.alone, FleetBefore.self, $0) },
    ]
  }

  private enum Way { case together, alone }

  private static func measure(
    _ title: String, _ rows: Int, _ folder: URL, _ open: (URL) throws -> Void
  ) throws -> Result {
    let stores = folder.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: stores, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: stores) }
    try fill(stores, rows)
    let usage = PeakDiskUsage(of: stores)
    let time = try ContinuousClock().measure { try open(stores) }
    return Result(title: title, milliseconds: time / .milliseconds(1), bytes: usage.stop())
  }

  private static func fill(_ folder: URL, _ rows: Int) throws {
    let context = ModelContext(try container(FleetBefore.self, folder))
    for row in 0..<rows {
      context.insert(FleetBefore.Ship(size: row))
      context.insert(FleetBefore.Crew(size: row))
      context.insert(FleetBefore.Port(size: row))
    }
    try context.save()
  }

  private static func configurations<Version: VersionedSchema>(
    _ version: Version.Type, _ folder: URL
  ) -> [ModelConfiguration] {
    zip(version.models, ["ships", "crews", "ports"]).map { (model, name: String) in
      ModelConfiguration(name, schema: Schema([model]), url: folder.appending(path: "\(name).store"))
    }
  }

  private static func container<Version: VersionedSchema>(_ version: Version.Type, _ folder: URL) throws
    -> ModelContainer
  {
    try ModelContainer(
      for: Schema(versionedSchema: version), configurations: configurations(version, folder))
  }

  private static func open<Version: VersionedSchema>(_ way: Way, _ version: Version.Type, _ folder: URL) throws {
    guard case .alone = way else { return try withExtendedLifetime(container(version, folder)) {} }
    for (model, configuration) in zip(version.models, configurations(version, folder)) {
      let schema = Schema([model], version: version.versionIdentifier)
      try withExtendedLifetime(ModelContainer(for: schema, configurations: configuration)) {}
    }
  }
}
