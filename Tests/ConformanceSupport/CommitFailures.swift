import CSQLite
import Foundation
import PersistenceCore

/// Commits to some files that fail, as on a disk that fails in the last moment. Only connections that are opened after
/// ``begin(at:)`` has been called once hear of it.
package enum CommitFailures {
  private static let failing = Lock<Set<String>>([])

  /// Lets every commit to a file fail from now on.
  package static func begin(at url: URL) {
    install
    failing.withLock { _ = $0.insert(name(url.path)) }
  }

  package static func end(at url: URL) {
    failing.withLock { _ = $0.remove(name(url.path)) }
  }

  /// Makes all connections from now on ask whether they may commit.
  package static let install: Void = {
    let entry: @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32 = { database, _, _ in
      sqlite3_commit_hook(database, { CommitFailures.fails($0) ? 1 : 0 }, database.map { UnsafeMutableRawPointer($0) })
      return SQLITE_OK
    }
    // SQLite declares the function without its parameters, and calls it with them.
    sqlite3_auto_extension(unsafeBitCast(entry, to: (@convention(c) () -> Void).self))
  }()

  private static func fails(_ database: UnsafeMutableRawPointer?) -> Bool {
    guard let file = sqlite3_db_filename(database.map { OpaquePointer($0) }, "main") else { return false }
    let path = String(cString: file)
    return !path.isEmpty && failing.withLock { $0.contains(name(path)) }
  }

  /// What is left of a path that leads through links.
  private static func name(_ path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path }
}
