import CSQLite
import Foundation
import PersistenceRuntime
import PersistenceSupport
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
  /// Whether the engine works in the transaction of a migration, in which its own are nested.
  let isMigrating: Bool
  /// Whether a transaction of an engine that takes part in a migration is open.
  let nesting = Lock(false)
  private let changes = Lock(ChangeState())
  private let foreignChanges = Atomic<Int64>(0)

  private struct ChangeState {
    /// What the writer last saw of other processes' commits.
    var version: Int64?
    /// The connection that opened the file, and what it saw then: it tells what others did before the writer first looked.
    weak var opener: SQLiteConnection?
    var openingVersion: UInt32?
  }

  /// Opens a store, and makes it when there is none.
  ///
  /// - Throws: `SwiftDataError` of the store, or what its migration throws. The file is as it was then.
  package init(_ request: SQLiteStoreRequest) throws {
    let configuration = request.configuration
    let opened = try request.opener.open()
    self.configuration = configuration
    self.database = opened.connection.database
    self.identifier = opened.metadata.identifier
    self.storedSchemaJSON = opened.metadata.schemaJSON
    self.cipher = request.opener.cipher
    self.isMigrating = false
    self.externalFolder = Self.externalFolder(
      of: opened.connection, isInMemory: configuration.isInMemory, mayHaveFiles: opened.metadata.mayHaveFiles)
    self.pool = SQLiteConnectionPool(first: opened.connection, opening: opened.opening)
    if !configuration.isInMemory {
      changes.withLock { ($0.opener, $0.openingVersion) = (opened.connection, opened.connection.handle.dataVersion) }
    }
    try removeLeftFiles()
  }

  /// Works on the store that a connection is migrating, in the transaction that is open on it.
  init(
    migrating connection: SQLiteConnection, configuration: SQLiteStoreConfiguration, identifier: String,
    cipher: (any ValueCipher)?
  ) {
    self.configuration = configuration
    self.database = connection.database
    self.identifier = identifier
    self.storedSchemaJSON = ""
    self.cipher = cipher
    self.isMigrating = true
    self.externalFolder = Self.externalFolder(of: connection, isInMemory: false)
    self.pool = SQLiteConnectionPool(
      first: connection,
      opening: ConnectionOpening(configuration: configuration, statementMemory: connection.statementMemory),
      isSingle: true)
  }

  package var location: String { configuration.path }

  package var allowsSave: Bool { configuration.allowsSave }

  package var readerCount: Int { configuration.isInMemory ? 1 : configuration.readers }

  package func close() {
    pool.close()
  }

  package func beginTransaction() throws -> any StoreTransaction {
    try begin()
  }

  package func erase(willCommit: () -> Void) throws {
    let transaction = try begin(keepsReferences: false)
    do {
      try transaction.deleteEverything()
    } catch {
      transaction.rollBack()
      throw error
    }
    willCommit()
    try transaction.commit()
  }

  package var isReadingHere: Bool { pool.isReadingHere }

  // MARK: Changes

  package var foreignChangeCount: Int64 { foreignChanges.load(ordering: .acquiring) }

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

  /// Whether other processes have committed since the file was opened. Only versions of one connection can be compared;
  /// while that connection is in use, the answer is yes.
  private func hasChangedSinceOpening() throws -> Bool {
    let (opener, known) = changes.withLock { ($0.opener, $0.openingVersion) }
    guard let opener, let seen = try pool.borrow(opener, { try Self.readVersion(of: $0) }) else { return true }
    return seen != known
  }

  /// Whether the connection that opened the file sees commits that have not been noted; nil while it is in use.
  func openerHasSeenChanges(besides reader: SQLiteConnection) throws -> Bool? {
    let (opener, known) = changes.withLock { ($0.opener, $0.openingVersion) }
    guard let opener else { return true }
    if opener === reader { return reader.handle.dataVersion != known }
    return try pool.borrow(opener) { opener in
      let version = try Self.readVersion(of: opener)
      defer { opener.seenVersion = version }
      return version != opener.seenVersion ?? known
    }
  }

  /// The version of the file as a connection finds it now. A read has to ask the file: the number alone is of the last one.
  private static func readVersion(of reader: SQLiteConnection) throws -> UInt32 {
    _ = try reader.number("PRAGMA data_version")
    return reader.handle.dataVersion
  }
}
