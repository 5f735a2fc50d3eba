import CSQLiteShim
import PersistenceSupport

/// The header of a store's file as it stands in the file: one read of the system, and no statement.
///
/// What is committed may still be in the log, and then is not seen here.
struct StoreHeader {
  private static let size = 100

  private let bytes: [UInt8]

  init(of handle: SQLiteHandle) {
    var bytes = [UInt8](repeating: 0, count: Self.size)
    let isRead = osd_sqlite_read_start(handle.pointer, &bytes, Int32(Self.size)) == 0
    self.bytes = isRead ? bytes : []
  }

  /// Whether the file has a write-ahead log, and says that it is a store of this format.
  var isInOrder: Bool {
    hasLog && number(at: 68) == StoreFormat.applicationIdentifier && number(at: 60) == StoreFormat.version
  }

  /// Whether the file works with a write-ahead log, which is written here before anything else.
  var hasLog: Bool { !bytes.isEmpty && bytes[18] == 2 && bytes[19] == 2 }

  /// Whether texts are in UTF-16.
  var isUTF16: Bool { [2, 3].contains(number(at: 56)) }

  private func number(at offset: Int) -> Int64 {
    guard !bytes.isEmpty else { return 0 }
    return bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
  }
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
