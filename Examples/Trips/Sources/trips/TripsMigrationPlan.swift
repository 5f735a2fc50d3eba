import SwiftData

/// The rest of the program speaks of trips, and means the newest version.
typealias Trip = TripsSchemaV3.Trip
typealias BucketListItem = TripsSchemaV3.BucketListItem

/// How a store of any version becomes one of the newest.
enum TripsMigrationPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] {
    [TripsSchemaV1.self, TripsSchemaV2.self, TripsSchemaV3.self]
  }

  static var stages: [MigrationStage] { [uniqueNames, renamedDates] }

  /// Names can be unique only when no two trips share one.
  private static let uniqueNames = MigrationStage.custom(
    fromVersion: TripsSchemaV1.self, toVersion: TripsSchemaV2.self,
    willMigrate: { context in
      // The trip that begins first keeps the name, and gets what the others wanted to do.
      var kept: [String: TripsSchemaV1.Trip] = [:]
      for trip in try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\TripsSchemaV1.Trip.start_date)])) {
        guard let first = kept[trip.name] else {
          kept[trip.name] = trip
          continue
        }
        first.bucketList = (first.bucketList ?? []) + (trip.bucketList ?? [])
        context.delete(trip)
      }
      try context.save()
    }, didMigrate: nil)

  private static let renamedDates = MigrationStage.lightweight(
    fromVersion: TripsSchemaV2.self, toVersion: TripsSchemaV3.self)
}
