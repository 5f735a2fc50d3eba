import CSQLite
import Foundation
import PersistenceCore

/// Makes commits to some files fail, like a disk that fails during the commit. This affects only connections that are
/// opened after the first call of ``begin(at:)``.
package enum CommitFailures {
  private static let failing = Lock<Set<String>>([])

  /// Makes every further commit to a file fail.
  package static func begin(at url: URL) {
    install
    failing.withLock { _ = $0.insert(name(url.path)) }
  }

  package static func end(at url: URL) {
    failing.withLock { _ = $0.remove(name(url.path)) }
  }

  /// Installs a commit hook in all connections that are opened from now on.
  package static let install: Void = {
    let entry: @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32 = { database, _, _ in
      sqlite3_commit_hook(database, { CommitFailures.fails($0) ? 1 : 0 }, database.map { UnsafeMutableRawPointer($0) })
      return SQLITE_OK
    }
    // SQLite declares the function without parameters, but calls it with three.
    sqlite3_auto_extension(unsafeBitCast(entry, to: (@convention(c) () -> Void).self))
  }()

  private static func fails(_ database: UnsafeMutableRawPointer?) -> Bool {
    guard let file = sqlite3_db_filename(database.map { OpaquePointer($0) }, "main") else { return false }
    let path = String(cString: file)
    return !path.isEmpty && failing.withLock { $0.contains(name(path)) }
  }

  /// The path with symbolic links resolved.
  private static func name(_ path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path }
}
