import CSQLite
import CSQLiteShim
import Foundation
import PersistenceSupport

/// What a database is: a store of ours, or nothing yet. Every other database is refused, and nothing touches it.
///
/// What a database says about itself in its table decides. The numbers in its header are asked only where there is no
/// such table, since dumps carry none.
enum StoreRecognition {
  case empty
  case store(StoreMetadata)

  /// - Throws: `SwiftDataError.storeOfAnotherProgram` for databases of others and stores from before the first release,
  ///   `.backwardMigration` for newer ones, `.storeCorrupt` for stores that do not say what is in them, or the error of a
  ///   file that is no database.
  init(of handle: SQLiteHandle) throws {
    do {
      self = try Self.recognised(handle)
    } catch let error as SwiftDataError where error.kind == .storeNotADatabase && Self.startsLikeADatabase(handle) {
      throw SQLiteError(code: SQLITE_CORRUPT, message: "the header of the file is malformed")
        .storeError(path: handle.path)
    }
  }

  private static func recognised(_ handle: SQLiteHandle) throws -> StoreRecognition {
    // One snapshot, since another process may be making the store just now. The number is read first: a statement that
    // finds no table begins none.
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

/// The header of a store's file as it stands in the file: one read of the system, and no statement.
///
/// What is committed may still be in the log, and then is not seen here.
struct StoreHeader {
  /// Zeros where it cannot be read.
  private let fields: osd_sqlite_header

  init(of handle: SQLiteHandle) {
    var fields = osd_sqlite_header()
    self.fields = osd_sqlite_read_header(handle.pointer, &fields) == SQLITE_OK ? fields : osd_sqlite_header()
  }

  /// Whether the file has a write-ahead log, and says that it is a store of this format.
  var isInOrder: Bool {
    hasLog && Int64(fields.application) == StoreFormat.applicationIdentifier
      && Int64(fields.userVersion) == StoreFormat.version
  }

  /// Whether the file works with a write-ahead log, which is written here before anything else.
  var hasLog: Bool { fields.writeVersion == 2 && fields.readVersion == 2 }

  /// Whether texts are in UTF-16.
  var isUTF16: Bool { [2, 3].contains(fields.encoding) }
}

extension StoreHeader {
  /// - Throws: `SwiftDataError.storeFailure` if texts are in UTF-16, whose bytes have another order than the texts.
  func requireUTF8(_ path: String) throws {
    guard isUTF16 else { return }
    throw SwiftDataError(
      .storeFailure,
      "The database at \(path) has its texts in UTF-16, in which a store cannot order them. Dump it, and load the dump into "
        + "a new database after PRAGMA encoding = 'UTF-8'; the file has not been changed.")
  }
}
