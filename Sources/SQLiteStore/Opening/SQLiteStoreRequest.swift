import PersistenceCore
import SQLEngine

/// A store that is to be opened: what the engine of it takes.
package struct SQLiteStoreRequest {
  let configuration: SQLiteStoreConfiguration
  let opener: StoreOpener

  /// - Parameters:
  ///   - mapping: The tables of the entities.
  ///   - cipher: Encrypts and decrypts, when an entity has something encrypted.
  ///   - migration: How a store is migrated whose schema is not `schemaJSON`.
  package init(
    configuration: SQLiteStoreConfiguration, mapping: DatabaseMapping, schemaJSON: String,
    cipher: (any ValueCipher)? = nil, migration: SQLiteMigrationRequest
  ) {
    var database = mapping
    if database.hasSpatialIndexes, !configuration.hasSpatialModule {
      database = database.withoutSpatialIndexes(SQLiteDialect())
    }
    self.configuration = configuration
    opener = StoreOpener(
      ConnectionOpening(configuration: configuration, database: database), schemaJSON: schemaJSON, cipher: cipher,
      migration: migration)
  }
}
