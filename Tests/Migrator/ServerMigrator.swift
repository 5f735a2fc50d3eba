import MigrationWorkload
import SwiftData

#if PostgreSQL
  import PostgresStore
#endif

enum ServerMigrator {
  /// Migrates a store on a server. Returns the number of trips in the migrated store.
  static func run(_ url: String, namespace: String) throws -> Int {
    #if PostgreSQL
      var configuration = PostgresConfiguration(url)
      configuration.namespace = namespace
      return try ModelContext(TripStores.migrated(configuration)).fetchCount(FetchDescriptor<TripsV3.Trip>())
    #else
      fatalError("the package trait PostgreSQL is needed")
    #endif
  }
}
