import SwiftData

/// In the rest of the program, trips are those of the newest version.
typealias Trip = TripsSchemaV3.Trip
typealias BucketListItem = TripsSchemaV3.BucketListItem

/// The migrations of a store of any version to the newest.
enum TripsMigrationPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] {
    [TripsSchemaV1.self, TripsSchemaV2.self, TripsSchemaV3.self]
  }

  static var stages: [MigrationStage] { [uniqueNames, renamedDates] }

  /// Names can become unique only when no two trips have the same name.
  private static let uniqueNames = MigrationStage.custom(
    fromVersion: TripsSchemaV1.self, toVersion: TripsSchemaV2.self,
    willMigrate: { context in
      // The trip that begins first keeps the name, and receives the bucket lists of the others.
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
