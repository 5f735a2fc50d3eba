import CSQLite
import Foundation
import MigrationWorkload
import PersistenceCore

/// Migrates the three stores of a fleet: `Migrator fleet <folder> [number of the commit to be killed at]`.
enum FleetMigrator {
  private static let remaining = Lock(Int.max)

  static func run(_ folder: URL, killedAtCommit number: Int?) throws {
    if let number {
      remaining.withLock { $0 = number }
      killAtCommit()
    }
    _ = try FleetStores.container(of: FleetV2.self, in: folder)
  }

  /// Makes SQLite call a hook before each commit, on every connection that is opened from now on. The hook kills the
  /// process at the chosen commit.
  private static func killAtCommit() {
    typealias Extension =
      @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
      ) -> Int32
    let hook: Extension = { connection, _, _ in
      _ = sqlite3_commit_hook(
        connection,
        { _ in
          let isNow = FleetMigrator.remaining.withLock { remaining in
            remaining -= 1
            return remaining == 0
          }
          if isNow { kill(getpid(), SIGKILL) }
          return 0
        }, nil)
      return SQLITE_OK
    }
    // SQLite declares this function without parameters, but its documentation says that SQLite passes these parameters.
    sqlite3_auto_extension(unsafeBitCast(hook, to: (@convention(c) () -> Void).self))
  }
}
