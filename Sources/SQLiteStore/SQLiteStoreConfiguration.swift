import CSQLite
import Foundation
import PersistenceSupport

/// Where a SQLite store is, and how it is kept.
package struct SQLiteStoreConfiguration: Sendable, Hashable {
  package enum Location: Sendable, Hashable {
    case file(path: String)
    /// Private to the engine and gone with it.
    case memory

    package static func file(_ url: URL) -> Location { .file(path: url.path) }
  }

  /// What a commit survives.
  package enum Durability: String, Sendable, Hashable {
    /// The end of the process. A loss of power can cost the last commits, but never harms the store.
    case normal
    /// A loss of power too, at the price of a flush to the disk in every commit.
    case full
  }

  package var location: Location
  package var allowsSave: Bool
  /// How long to wait for another context or process to finish with the store.
  package var busyTimeout: Duration
  package var durability: Durability
  /// The most connections that read at the same time.
  package var readers: Int
  /// The size that the file may not exceed; nil for no limit but the disk's.
  package var maximumSizeBytes: Int?
  /// Where statements are logged that take long.
  package var slowStatementLog: SlowStatementLog?
  /// How long the store keeps what each save changed; nil if it does not.
  package var history: HistoryRetention?
  /// Whether references between rows must lead to rows, and what they refer to is deleted with its rules.
  package var keepsReferences = true
  /// Whether SQLite can make R*Trees of floating-point numbers, which it was not built with everywhere.
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

  /// The path of the file, or what stands for it in messages.
  package var path: String {
    switch location {
    case .file(let path): path
    case .memory: ":memory:"
    }
  }

  var isInMemory: Bool { location == .memory }

  var busyTimeoutMilliseconds: Int32 { busyTimeout.clampedMilliseconds }
}

/// How long a store keeps its history.
package struct HistoryRetention: Sendable, Hashable {
  /// The age at which records are deleted; nil for none.
  package var age: Duration?
  /// The size of all records at which the first ones are deleted; nil for none.
  package var bytes: Int?

  package init(age: Duration? = nil, bytes: Int? = nil) {
    self.age = age
    self.bytes = bytes
  }
}

extension Duration {
  /// The duration as SQLite takes a timeout. A longer one becomes the longest, which is 24 days, and a negative one 0.
  var clampedMilliseconds: Int32 {
    let (seconds, attoseconds) = components
    let milliseconds = Double(seconds) * 1_000 + Double(attoseconds) / 1e15
    return Int32(min(max(0, milliseconds), Double(Int32.max)))
  }
}
