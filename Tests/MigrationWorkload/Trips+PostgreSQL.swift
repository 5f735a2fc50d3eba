#if PostgreSQL
  import PostgresStore
  import SwiftData

  extension TripStores {
    /// Opens a store on a server with version 3, which migrates the store.
    package static func migrated(_ configuration: PostgresConfiguration) throws -> ModelContainer {
      try ModelContainer(
        for: Schema(versionedSchema: TripsV3.self), migrationPlan: TripsPlan.self, configurations: [configuration])
    }

    /// Opens or creates a store on a server with version 1.
    package static func original(_ configuration: PostgresConfiguration) throws -> ModelContainer {
      try ModelContainer(for: Schema(versionedSchema: TripsV1.self), configurations: [configuration])
    }
  }
#endif
