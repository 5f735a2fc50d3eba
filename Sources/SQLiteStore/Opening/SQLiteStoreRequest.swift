import PersistenceRuntime
import PersistenceSupport
import SQLEngine

/// A store that is to be opened: what the engine of it takes.
package struct SQLiteStoreRequest {
  let configuration: SQLiteStoreConfiguration
  let opener: StoreOpener

  /// - Parameters:
  ///   - statementMemory: The tables of the entities, and the statements of their requests.
  ///   - cipher: Encrypts and decrypts, when an entity has something encrypted.
  ///   - migration: How a store is migrated whose schema is not `schemaJSON`.
  package init(
    configuration: SQLiteStoreConfiguration, statementMemory: StatementMemory, schemaJSON: String,
    cipher: (any ValueCipher)? = nil, migration: SQLiteMigrationRequest
  ) {
    var statementMemory = statementMemory
    if statementMemory.database.hasSpatialIndexes, !configuration.hasSpatialModule {
      statementMemory = statementMemory.withoutSpatialIndexes()
    }
    self.configuration = configuration
    opener = StoreOpener(
      ConnectionOpening(configuration: configuration, statementMemory: statementMemory), schemaJSON: schemaJSON,
      cipher: cipher, migration: migration)
  }
}
