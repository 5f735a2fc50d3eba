import CSQLite
import Foundation
import PersistenceSupport

/// The location and the settings of a SQLite store.
package struct SQLiteStoreConfiguration: Sendable, Hashable {
  package enum Location: Sendable, Hashable {
    case file(path: String)
    /// A store in memory. The content is lost when the engine is deinitialised.
    case memory

    package static func file(_ url: URL) -> Location { .file(path: url.path) }
  }

  /// Which failures a committed transaction survives.
  package enum Durability: String, Sendable, Hashable {
    /// A crash of the process. A power failure can undo the last commits, but never damages the store.
    case normal
    /// A crash of the process and a power failure. Every commit flushes the disk.
    case full
  }

  package var location: Location
  package var allowsSave: Bool
  /// How long an operation waits at most for another context or process to release the store.
  package var busyTimeout: Duration
  package var durability: Durability
  /// The maximum number of concurrent readers.
  package var readers: Int
  /// The maximum size of the file in bytes; nil if only the disk limits it.
  package var maximumSizeBytes: Int?
  /// The log for slow statements.
  package var slowStatementLog: SlowStatementLog?
  /// Which records of the history of saves are kept; nil if the store has no history.
  package var history: HistoryRetention?
  /// Whether SQLite enforces foreign keys and their delete rules.
  package var keepsReferences = true
  /// Whether SQLite supports R*Trees of floating-point numbers, which not every build does.
  package var hasSpatialModule = Self.isBuiltWithSpatialModule

  package init(
    location: Location, allowsSave: Bool = true, busyTimeout: Duration = .seconds(5),
    durability: Durability = .normal, readers: Int = 16, maximumSizeBytes: Int? = nil,
    slowStatementLog: SlowStatementLog? = nil, history: HistoryRetention? = nil
  ) {
    self.location = location
    self.allowsSave = allowsSave
    self.busyTimeout = busyTimeout
    self.durability = durability
    self.readers = max(1, readers)
    self.maximumSizeBytes = maximumSizeBytes
    self.slowStatementLog = slowStatementLog
    self.history = history
  }

  private static let isBuiltWithSpatialModule =
    sqlite3_compileoption_used("ENABLE_RTREE") != 0 && sqlite3_compileoption_used("RTREE_INT_ONLY") == 0

  /// The path of the file, or `:memory:` for a store in memory.
  package var path: String {
    switch location {
    case .file(let path): path
    case .memory: ":memory:"
    }
  }

  var isInMemory: Bool { location == .memory }

  var busyTimeoutMilliseconds: Int32 { busyTimeout.clampedMilliseconds }
}

/// The limits of a store's history.
package struct HistoryRetention: Sendable, Hashable {
  /// The age at which records are deleted; nil for no limit.
  package var age: Duration?
  /// The maximum total size of all records in bytes, above which the oldest ones are deleted; nil for no limit.
  package var bytes: Int?

  package init(age: Duration? = nil, bytes: Int? = nil) {
    self.age = age
    self.bytes = bytes
  }
}

extension Duration {
  /// The duration as a SQLite timeout. A longer one is clamped to the maximum of 24 days, and a negative one to 0.
  var clampedMilliseconds: Int32 {
    let (seconds, attoseconds) = components
    let milliseconds = Double(seconds) * 1_000 + Double(attoseconds) / 1e15
    return Int32(min(max(0, milliseconds), Double(Int32.max)))
  }
}
