import BenchmarkCore
import CBenchmarkShim
import Foundation

/// Hand-written code with SQLite's C functions. The benchmark prints all times as ratios to the times of this code.
public struct RawContender: Contender {
  public let name: String
  public let title: String
  private let settings: RawSettings

  /// Hand-written code with the SQLite settings that the library uses.
  public static let sameSettings = RawContender(
    name: "raw", title: "raw C", settings: .ofSituations)

  /// Hand-written code with SQLite's default cache size and statistics.
  public static let defaultSettings = RawContender(
    name: "raw-defaults", title: "raw, defaults",
    settings: RawSettings(cacheMebibytes: nil, keepsMemoryStatistics: true))

  public func prepareProcess() {
    if !settings.keepsMemoryStatistics {
      _ = benchmark_turn_memory_statistics_off()
    }
  }

  public func create(_ file: URL) throws -> any ContenderSession {
    let connection = try RawConnection(file, settings: settings)
    try connection.execute(
      """
      CREATE TABLE item(
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL, count INTEGER NOT NULL,
        score REAL NOT NULL, created REAL NOT NULL, note TEXT);
      CREATE INDEX item_count ON item(count)
      """)
    return RawSession(connection)
  }

  public func open(_ file: URL) throws -> any ContenderSession {
    RawSession(try RawConnection(file, settings: settings))
  }

  public func createGraph(_ file: URL) throws -> any GraphSession {
    let connection = try RawConnection(file, settings: settings)
    try connection.execute(
      """
      CREATE TABLE parent(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE child(
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, number INTEGER NOT NULL, parent INTEGER REFERENCES parent(id));
      CREATE INDEX child_parent ON child(parent)
      """)
    return RawGraphSession(connection)
  }

  public func openGraph(_ file: URL) throws -> any GraphSession {
    RawGraphSession(try RawConnection(file, settings: settings))
  }
}

/// The settings that differ between the two contenders of hand-written code. Both use a write-ahead log, connections
/// without a mutex, and `synchronous = NORMAL`.
struct RawSettings: Sendable {
  /// The settings of the situations, which are those of the library.
  static let ofSituations = RawSettings(cacheMebibytes: 64, keepsMemoryStatistics: false)

  /// The size of the page cache; nil for SQLite's default.
  let cacheMebibytes: Int?

  /// True if SQLite keeps memory statistics, as it does by default.
  let keepsMemoryStatistics: Bool
}
