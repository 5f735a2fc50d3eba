import CSQLite
import Foundation
import PersistenceCore
import SQLEngine
import Synchronization

/// A store in a SQLite file, or in memory.
package final class SQLiteStoreEngine: StoreEngine {
  package let configuration: SQLiteStoreConfiguration
  package let identifier: String
  /// The schema that the store was made with or migrated to, as JSON.
  package let storedSchemaJSON: String
  package let database: DatabaseMapping
  let pool: SQLiteConnectionPool
  /// Where values are that are too large for rows; nil when all are in rows.
  let externalFolder: ExternalFolder?
  /// Encrypts and decrypts; nil when nothing is encrypted.
  let cipher: (any ValueCipher)?
  private let changes = Mutex(ChangeState())
  private let foreignChanges = Atomic<Int64>(0)

  private struct ChangeState {
    var own: Int64 = 0
    /// What the writer last saw of other processes' commits.
    var version: Int64?
    /// The connection that opened the file, and what it saw then: it tells what others did before the writer first looked.
    weak var opener: SQLiteConnection?
    var openingVersion: Int64?
  }

  /// Opens a store, and makes it when there is none.
  ///
  /// - Parameters:
  ///   - mapping: The tables of the entities, where they have been worked out before.
  ///   - cipher: Encrypts and decrypts, when an entity has something encrypted.
  ///   - reconcile: Called with the schema of an existing store when it is not `schemaJSON`; throws when the store
  ///     cannot be used as it is.
  /// - Throws: `SwiftDataError` of the store, or what `reconcile` throws. The file is as it was then.
  package init(
    configuration: SQLiteStoreConfiguration, entities: [EntityLayout], schemaJSON: String,
    mapping: DatabaseMapping? = nil, cipher: (any ValueCipher)? = nil, reconcile: @escaping (String) throws -> Void
  ) throws {
    let database = mapping ?? Self.mapping(of: entities)
    let opening = ConnectionOpening(configuration: configuration, database: database)
    let opened = try StoreOpener(opening, schemaJSON: schemaJSON, cipher: cipher, reconcile: reconcile).open()
    self.configuration = configuration
    self.database = database
    self.identifier = opened.metadata.identifier
    self.storedSchemaJSON = opened.metadata.schemaJSON
    self.cipher = cipher
    self.externalFolder = Self.externalFolder(of: opened.connection, isInMemory: configuration.isInMemory)
    self.pool = SQLiteConnectionPool(first: opened.connection, opening: opened.opening)
    if !configuration.isInMemory {
      let version = try opened.connection.number("PRAGMA data_version")
      changes.withLock { ($0.opener, $0.openingVersion) = (opened.connection, version) }
    }
    try removeLeftFiles()
  }

  /// The tables of some entities.
  package static func mapping(of entities: [EntityLayout]) -> DatabaseMapping {
    DatabaseMapping(entities: entities, dialect: SQLiteDialect())
  }

  package var allowsSave: Bool { configuration.allowsSave }

  package var readerCount: Int { configuration.isInMemory ? 1 : configuration.readers }

  package func close() {
    pool.close()
  }

  package func beginTransaction() throws -> any StoreTransaction {
    try begin()
  }

  package func erase() throws {
    let transaction = try begin(keepsReferences: false)
    do {
      try transaction.deleteEverything()
    } catch {
      transaction.rollBack()
      throw error
    }
    try transaction.commit()
  }

  // MARK: Changes

  package func changeCount() throws -> Int64 {
    if !configuration.isInMemory, let writer = try pool.takeIdleWriter() {
      defer { pool.giveBackWriter() }
      try noteForeignChanges(writer)
    }
    // Whoever has the writer now noted what others did when it began, and nobody else can commit until it ends.
    return ownChangeCount + foreignChangeCount
  }

  package var foreignChangeCount: Int64 { foreignChanges.load(ordering: .acquiring) }

  /// How many commits this engine made.
  var ownChangeCount: Int64 { changes.withLock(\.own) }

  package var knownChangeCount: Int64 { ownChangeCount + foreignChangeCount }

  func noteOwnChange() {
    changes.withLock { $0.own += 1 }
  }

  func noteForeignChange() {
    foreignChanges.add(1, ordering: .acquiringAndReleasing)
  }

  /// Notes what other processes committed, as the connection that writes sees it: its own commits do not show there.
  func noteForeignChanges(_ writer: SQLiteConnection) throws {
    let version = try writer.number("PRAGMA data_version")
    let isFirst = changes.withLock { $0.version == nil }
    let startsChanged = isFirst ? try hasChangedSinceOpening() : false
    let isNew = changes.withLock { state in
      defer { state.version = version }
      return state.version.map { $0 != version } ?? startsChanged
    }
    if isNew { noteForeignChange() }
  }

  /// Whether others committed since the file was opened. Versions can only be compared with those that the same connection
  /// saw; if that one is in use, they may have.
  private func hasChangedSinceOpening() throws -> Bool {
    let (opener, known) = changes.withLock { ($0.opener, $0.openingVersion) }
    guard let opener, let seen = try pool.borrow(opener, { try $0.number("PRAGMA data_version") }) else { return true }
    return seen != known
  }
}
