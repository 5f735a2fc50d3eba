import CSQLite
import CSQLiteShim
import Dispatch
import Foundation
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

/// Opens and configures the connections to a store.
struct ConnectionOpening: Sendable {
  enum Purpose: Sendable {
    case reader
    case writer
  }

  /// Limits the page cache of each connection to 64 MB.
  private static let cacheStatement = "PRAGMA cache_size = -65536"

  let configuration: SQLiteStoreConfiguration
  /// The tables, and the SQL of requests for them. All connections share this cache.
  var statementMemory: StatementMemory
  /// Whether the file is opened as immutable, because its folder is not writable for SQLite's companion files.
  var isImmutable = false
  let path: String

  init(configuration: SQLiteStoreConfiguration, statementMemory: StatementMemory) {
    self.configuration = configuration
    self.statementMemory = statementMemory
    self.path = configuration.path
  }

  var database: DatabaseMapping { statementMemory.database }

  /// The deadline of a wait that begins now.
  var deadline: DispatchTime { .now() + .milliseconds(Int(configuration.busyTimeoutMilliseconds)) }

  /// Opens another connection to a file that was recognised as a store of this library.
  func open(_ purpose: Purpose) throws -> SQLiteConnection {
    let handle = try openHandle(mayCreate: false)
    try prepare(handle)
    if purpose == .writer { try prepareWriter(handle) }
    return SQLiteConnection(handle, statementMemory: statementMemory)
  }

  /// Opens the file without changing it.
  func openHandle(mayCreate: Bool) throws -> SQLiteHandle {
    let access = configuration.allowsSave ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    let flags = access | (mayCreate ? SQLITE_OPEN_CREATE : 0) | (isImmutable ? SQLITE_OPEN_URI : 0)
    let handle = try SQLiteHandle(opening: isImmutable ? immutableName : path, flags: flags, path: path)
    handle.setBusyTimeout(milliseconds: configuration.busyTimeoutMilliseconds)
    return handle
  }

  /// Configures a connection to a file that was recognised as a store of this library.
  func prepare(_ handle: SQLiteHandle) throws {
    try handle.setSwitch(SQLITE_DBCONFIG_ENABLE_FKEY, true)
    try handle.setSwitch(SQLITE_DBCONFIG_DQS_DML, false)
    try handle.setSwitch(SQLITE_DBCONFIG_DQS_DDL, false)
    if let log = configuration.slowStatementLog { try handle.trace(log) }
    try handle.execute(Self.cacheStatement)
  }

  /// Configures a connection for changes of rows or tables.
  func prepareForChanges(_ handle: SQLiteHandle) throws {
    // Migrations run SQL by `execute`, which does not register missing functions as `prepare` does.
    try handle.registerFunctions()
    try handle.registerList()
    let synchronous = configuration.durability == .full ? "FULL" : "NORMAL"
    // With `temp_store = MEMORY`, sorting and the rollback data of statements, which is small, use memory. Connections
    // that only read keep the default: they sort large query results in temporary files.
    try handle.execute("PRAGMA synchronous = \(synchronous); PRAGMA temp_store = MEMORY")
  }

  private func prepareWriter(_ handle: SQLiteHandle) throws {
    try prepareForChanges(handle)
    // Stores are created in WAL mode. A store restored from a backup may have another mode. The switch to WAL mode
    // fails while other connections use the file; until the switch succeeds, the store works in the other mode.
    try? handle.execute("PRAGMA journal_mode = WAL")
    try handle.execute("PRAGMA journal_size_limit = \(WriteAheadLog.greatestBytes)")
    if let size = configuration.maximumSizeBytes { try limit(handle, to: size) }
  }

  func limit(_ handle: SQLiteHandle, to size: Int) throws {
    let pageSize = try max(512, handle.number("PRAGMA page_size") ?? 4096)
    try handle.execute("PRAGMA max_page_count = \(max(1, Int64(size) / pageSize))")
  }

  private var immutableName: String {
    let allowed = CharacterSet.urlPathAllowed
    return "file:\(path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path)?immutable=1"
  }
}

/// The parameters for opening a store with ``SQLiteStoreEngine``.
package struct SQLiteStoreRequest {
  let configuration: SQLiteStoreConfiguration
  let opener: StoreOpener

  /// - Parameters:
  ///   - statementMemory: The tables of the entities, and the statements for their requests.
  ///   - cipher: Encrypts and decrypts values, if an entity has encrypted values.
  ///   - migration: The migration of a store whose schema is not `schemaJSON`.
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
