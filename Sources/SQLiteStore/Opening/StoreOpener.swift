import CSQLite
import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// Opens a store's file: recognises it, creates it if missing, and rejects any other database without changing it.
struct StoreOpener {
  struct Opened {
    let connection: SQLiteConnection
    let metadata: StoreMetadata
    let opening: ConnectionOpening
  }

  private(set) var opening: ConnectionOpening
  let schemaJSON: String
  let cipher: (any ValueCipher)?
  let migration: SQLiteMigrationRequest

  init(
    _ opening: ConnectionOpening, schemaJSON: String, cipher: (any ValueCipher)? = nil,
    migration: SQLiteMigrationRequest
  ) {
    self.opening = opening
    self.schemaJSON = schemaJSON
    self.cipher = cipher
    self.migration = migration
  }

  func open() throws -> Opened {
    guard !opening.configuration.isInMemory else {
      let handle = try SQLiteHandle(
        opening: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path: opening.path)
      return try finish(handle, .empty)
    }
    let file = StoreFile(path: opening.path)
    let known = known()
    let isThere = try known != nil || file.check(allowsSave: opening.configuration.allowsSave)
    let folder = isThere ? nil : try file.makeFolder()
    do {
      return try open(file, known)
    } catch {
      folder?.removeIfEmpty()
      throw error
    }
  }

  private func open(_ file: StoreFile, _ known: (handle: SQLiteHandle, metadata: StoreMetadata)?) throws -> Opened {
    do {
      if let (handle, metadata) = known { return try finish(handle, .store(metadata)) }
      return try open(file)
    } catch let error as SwiftDataError where Self.accessErrors.contains(error.kind) {
      if opening.configuration.allowsSave { throw file.writabilityError() ?? error }
      guard !opening.isImmutable, file.mayBeImmutable else { throw error }
      var other = self
      other.opening.isImmutable = true
      return try other.open(file)
    }
  }

  /// The errors that a file or folder without write permission may cause.
  private static let accessErrors: Set<SwiftDataError.Kind> = [.storeUnreachable, .storeReadOnly, .storeFailure]

  /// Opens a store of the current format and recognises it by a single query. Returns nil for any other database, which
  /// the caller then examines step by step.
  private func known() -> (handle: SQLiteHandle, metadata: StoreMetadata)? {
    guard let handle = try? opening.openHandle(mayCreate: false) else { return nil }
    guard !handle.isReadOnly || !opening.configuration.allowsSave else { return nil }
    handle.setBusyTimeout(milliseconds: 0)
    // If the file belongs to another program, closing the connection must not checkpoint that program's log.
    guard (try? handle.setSwitch(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)) != nil,
      let metadata = try? StoreMetadata(from: handle), metadata.format == StoreFormat.version,
      (try? handle.setSwitch(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)) != nil
    else { return nil }
    handle.setBusyTimeout(milliseconds: opening.configuration.busyTimeoutMilliseconds)
    return (handle, metadata)
  }

  private func open(_ file: StoreFile) throws -> Opened {
    let (handle, content) = try recognised(file)
    return try finish(handle, content)
  }

  /// Opens a file and recognises its content, without changing it.
  private func recognised(_ file: StoreFile) throws -> (SQLiteHandle, StoreRecognition) {
    let handle = try opening.openHandle(mayCreate: opening.configuration.allowsSave)
    // Without write permission, SQLite opens the file for reading instead of failing.
    if opening.configuration.allowsSave, handle.isReadOnly, let error = file.writabilityError() { throw error }
    // If this is the last connection, closing it would checkpoint the log into a file that may be another program's.
    let hasLog = file.hasWriteAheadLog
    if hasLog { try handle.setSwitch(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) }
    let content = try StoreRecognition(of: handle)
    if case .empty = content, !opening.configuration.allowsSave { throw emptyError(handle) }
    if hasLog { try handle.setSwitch(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false) }
    return (handle, content)
  }

  /// Opens a store that must be migrated. Returns nil if there is no store, or if it needs no migration.
  ///
  /// - Throws: The errors of opening the store, or the reason why it cannot be migrated.
  func handleToMigrate() throws -> SQLiteHandle? {
    let file = StoreFile(path: opening.path)
    guard try file.check(allowsSave: opening.configuration.allowsSave) else { return nil }
    do {
      let (handle, content) = try recognised(file)
      guard case .store(let metadata) = content else { return nil }
      try opening.prepare(handle)
      let known = try decided(handle, metadata)
      if opening.configuration.allowsSave { try UndecidedMigration.removeLeftCopy(of: handle) }
      return try hasRoute(from: known) && isBehind(known) ? handle : nil
    } catch let error as SwiftDataError where Self.accessErrors.contains(error.kind) {
      // The store may be on a read-only medium. It is not migrated here, and ``open()`` can open it as immutable.
      if opening.configuration.allowsSave { throw file.writabilityError() ?? error }
      guard !opening.isImmutable, file.mayBeImmutable else { throw error }
      return nil
    }
  }

  /// Decides a joint migration whose outcome is still unknown, and returns the metadata after that.
  private func decided(_ handle: SQLiteHandle, _ metadata: StoreMetadata) throws -> StoreMetadata {
    guard metadata.isUndecided else { return metadata }
    let timeout = max(opening.configuration.busyTimeout, .seconds(5))
    guard opening.configuration.allowsSave else {
      if try UndecidedMigration.isDecided(handle, timeout: timeout) { return metadata }
      throw undecidedError(handle)
    }
    try UndecidedMigration.resolve(handle, timeout: timeout)
    guard let metadata = try StoreMetadata(from: handle) else { throw StoreRecognition.incompleteError(handle) }
    return metadata
  }

  private func finish(_ handle: SQLiteHandle, _ content: StoreRecognition) throws -> Opened {
    try opening.prepare(handle)
    guard case .store(let metadata) = content else { return try finish(handle, create(handle)) }
    let header = StoreHeader(of: handle)
    try header.requireUTF8(opening.path)
    let opened = try finish(handle, decided(handle, metadata))
    // The store is completed after all checks that may reject it, so that a rejected store stays unchanged.
    let isComplete = header.isInOrder && metadata.writer == StoreFormat.writer
    if opening.configuration.allowsSave, !isComplete { complete(handle, header, opened.opening.database) }
    return opened
  }

  private func finish(_ handle: SQLiteHandle, _ metadata: StoreMetadata) throws -> Opened {
    if !opening.configuration.hasSpatialModule { try SpatialIndexes(handle).requireNone(opening.configuration) }
    let metadata = try migrated(handle, metadata)
    var opening = opening
    if opening.database.hasSpatialIndexes { opening.statementMemory = try SpatialIndexes(handle).usable(in: opening) }
    if let cipher {
      try metadata.check(cipher, of: "the store at \(opening.path)")
      if cipher.hasFormerKeys, opening.configuration.allowsSave { try noteKey(of: cipher, in: handle) }
    }
    let connection = SQLiteConnection(handle, statementMemory: opening.statementMemory)
    return Opened(connection: connection, metadata: metadata, opening: opening)
  }

  /// Records the current encryption key in the store before the first value is encrypted with it.
  private func noteKey(of cipher: any ValueCipher, in handle: SQLiteHandle) throws {
    guard try StoreMetadata(from: handle)?.adding(cipher) != nil else { return }
    try handle.execute("BEGIN IMMEDIATE")
    do {
      // Another process may have recorded the key, or may have changed the key again.
      let metadata = try StoreMetadata(from: handle)
      try metadata?.check(cipher, of: "the store at \(opening.path)")
      try metadata?.adding(cipher)?.write(to: handle)
      try handle.execute("COMMIT")
    } catch {
      if handle.isInTransaction { try? handle.execute("ROLLBACK") }
      throw error
    }
  }

  private func complete(_ handle: SQLiteHandle, _ header: StoreHeader, _ database: DatabaseMapping) {
    ReloadedStore(handle: handle, database: database).complete {
      if !header.hasLog { try enableWriteAheadLog(handle) }
    }
  }

  // MARK: Creation

  private func create(_ handle: SQLiteHandle) throws -> StoreMetadata {
    try opening.prepareForChanges(handle)
    if !opening.configuration.isInMemory { try enableWriteAheadLog(handle) }
    if let size = opening.configuration.maximumSizeBytes { try opening.limit(handle, to: size) }
    try handle.execute("BEGIN IMMEDIATE")
    do {
      // Another process may have created the store while this process waited.
      if try handle.number("SELECT count(*) FROM sqlite_master") != 0 {
        try handle.execute("ROLLBACK")
        guard case .store(let metadata) = try StoreRecognition(of: handle) else {
          throw StoreRecognition.foreignError(handle)
        }
        return metadata
      }
      let metadata = try StoreMetadata(schemaJSON: schemaJSON, cipher: cipher)
      for sql in StoreFormat.creation(of: opening.database) { try handle.execute(sql) }
      try metadata.write(to: handle)
      try handle.execute("COMMIT")
      return metadata
    } catch {
      if handle.isInTransaction { try? handle.execute("ROLLBACK") }
      throw error
    }
  }

  /// Switches a file to WAL mode. While another process switches the file, SQLite fails at once instead of waiting.
  private func enableWriteAheadLog(_ handle: SQLiteHandle) throws {
    let deadline = opening.deadline
    while true {
      do {
        return try handle.execute("PRAGMA journal_mode = WAL")
      } catch let error as SwiftDataError where error.kind == .storeBusy && .now() < deadline {
        usleep(2_000)
      }
    }
  }
}

extension StoreOpener {
  private func undecidedError(_ handle: SQLiteHandle) -> SwiftDataError {
    SwiftDataError(
      .storeReadOnly,
      "The store at \(handle.path) was being migrated together with others when the program ended, and has to be taken "
        + "back to what it was. Open it once with allowsSave; it has not been changed.")
  }

  private func emptyError(_ handle: SQLiteHandle) -> SwiftDataError {
    SwiftDataError(
      .storeUnreachable,
      "The file \(handle.path) is empty, and may not be written. Allow saving once to make it a store.")
  }
}
