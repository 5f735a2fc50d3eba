import BenchmarkCore
import Foundation
import SwiftData

/// Migrates a store of trips by opening it with a later schema, with the public API only.
public enum OurMigration {
  /// Creates an empty store of the first version.
  public static func create(_ file: URL) throws {
    _ = try ModelContainer(
      for: Schema(versionedSchema: TripsFirst.self), configurations: ModelConfiguration(url: file))
  }

  /// Opens a store of the first version with the schema or plan of a later version, and measures the time.
  public static func migrate(_ file: URL, _ step: MigrationCase, _ stopwatch: Stopwatch) throws {
    let configuration = ModelConfiguration(url: file)
    try stopwatch.measure {
      switch step {
      case .lightweight:
        _ = try ModelContainer(for: Schema(versionedSchema: TripsRemarked.self), configurations: configuration)
      case .anew:
        _ = try ModelContainer(for: Schema(versionedSchema: TripsAnew.self), configurations: configuration)
      case .staged:
        _ = try ModelContainer(
          for: Schema(versionedSchema: TripsRenamed.self), migrationPlan: Plan.self, configurations: configuration)
      }
    }
  }

  private enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TripsFirst.self, TripsUnique.self, TripsRenamed.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: TripsFirst.self, toVersion: TripsUnique.self, willMigrate: removeDuplicates, didMigrate: nil),
        .lightweight(fromVersion: TripsUnique.self, toVersion: TripsRenamed.self),
      ]
    }
  }

  /// Of several trips with the same name, keeps the one that begins first, and moves the bucket lists of the others to
  /// it.
  @Sendable private static func removeDuplicates(_ context: ModelContext) throws {
    var kept: [String: TripsFirst.Trip] = [:]
    for trip in try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\TripsFirst.Trip.start_date)])) {
      guard let first = kept[trip.name] else {
        kept[trip.name] = trip
        continue
      }
      first.bucketList = (first.bucketList ?? []) + (trip.bucketList ?? [])
      context.delete(trip)
    }
    try context.save()
  }
}
