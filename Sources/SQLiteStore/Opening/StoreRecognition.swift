import CSQLite
import CSQLiteShim
import Foundation
import PersistenceSupport

/// The kind of a database: a store of this library, or empty. Any other database is rejected and not changed.
///
/// The metadata table determines the kind. The numbers in the file header only matter if the table is missing or
/// incomplete, because dumps do not contain these numbers.
enum StoreRecognition {
  case empty
  case store(StoreMetadata)

  /// - Throws: `SwiftDataError.storeOfAnotherProgram` for databases of other programs and for stores from before the
  ///   first release, `.backwardMigration` for newer ones, `.storeCorrupt` for stores with incomplete metadata, or the
  ///   error of a file that is not a database.
  init(of handle: SQLiteHandle) throws {
    do {
      self = try Self.recognised(handle)
    } catch let error as SwiftDataError where error.kind == .storeNotADatabase && Self.startsLikeADatabase(handle) {
      throw SQLiteError(code: SQLITE_CORRUPT, message: "the header of the file is malformed")
        .storeError(path: handle.path)
    }
  }

  private static func recognised(_ handle: SQLiteHandle) throws -> StoreRecognition {
    // All statements read one snapshot, since another process may be creating the store right now. The first statement
    // reads a number, because a statement that fails for a missing table starts no snapshot.
    try handle.execute("BEGIN")
    defer { try? handle.execute("COMMIT") }
    let application = try handle.number("PRAGMA application_id")
    let finding = try StoreMetadata.find(in: handle)
    if case .store(let metadata) = finding {
      guard metadata.format <= StoreFormat.version else { throw StoreFormat.newerError(handle.path, metadata.format) }
      return .store(metadata)
    }
    if application == StoreFormat.applicationIdentifier { throw incompleteError(handle) }
    switch finding {
    case .unreleased: throw StoreFormat.unreleasedError(handle.path)
    case _ where application == StoreFormat.unreleasedApplicationIdentifier:
      throw StoreFormat.unreleasedError(handle.path)
    case .incomplete: throw incompleteError(handle)
    case .nothing, .store:
      guard application == 0, try handle.number("SELECT count(*) FROM sqlite_master") == 0 else {
        throw foreignError(handle)
      }
      return .empty
    }
  }

  private static func startsLikeADatabase(_ handle: SQLiteHandle) -> Bool {
    let magic = Array("SQLite format 3\0".utf8)
    var start = [UInt8](repeating: 0, count: magic.count)
    return osd_sqlite_read_start(handle.pointer, &start, Int32(magic.count)) == SQLITE_OK && start == magic
  }

  // MARK: Errors

  static func foreignError(_ handle: SQLiteHandle) -> SwiftDataError {
    SwiftDataError(
      .storeOfAnotherProgram,
      "The database at \(handle.path) was written by another program and has not been changed. "
        + "Choose another file for the store.")
  }

  static func incompleteError(_ handle: SQLiteHandle) -> SwiftDataError {
    SwiftDataError(
      .storeCorrupt,
      "The store at \(handle.path) does not say what is in it: its metadata is missing or incomplete. Restore it from a "
        + "backup; it has not been changed.")
  }
}

/// The header of a store's file on the disk. It is read by one system call, without a statement.
///
/// Commits that are still in the write-ahead log are not visible here.
struct StoreHeader {
  /// The fields of the header; zeros if the file cannot be read.
  private let fields: osd_sqlite_header

  init(of handle: SQLiteHandle) {
    var fields = osd_sqlite_header()
    self.fields = osd_sqlite_read_header(handle.pointer, &fields) == SQLITE_OK ? fields : osd_sqlite_header()
  }

  /// Whether the file uses a write-ahead log and is marked as a store of the current format.
  var isInOrder: Bool {
    hasLog && Int64(fields.application) == StoreFormat.applicationIdentifier
      && Int64(fields.userVersion) == StoreFormat.version
  }

  /// Whether the file uses a write-ahead log, which this library enables before it writes anything else.
  var hasLog: Bool { fields.writeVersion == 2 && fields.readVersion == 2 }

  /// Whether texts are in UTF-16.
  var isUTF16: Bool { [2, 3].contains(fields.encoding) }
}

extension StoreHeader {
  /// - Throws: `SwiftDataError.storeFailure` for UTF-16, in which the order of bytes is not the order of texts.
  func requireUTF8(_ path: String) throws {
    guard isUTF16 else { return }
    throw SwiftDataError(
      .storeFailure,
      "The database at \(path) has its texts in UTF-16, in which a store cannot order them. Dump it, and load the dump into "
        + "a new database after PRAGMA encoding = 'UTF-8'; the file has not been changed.")
  }
}
