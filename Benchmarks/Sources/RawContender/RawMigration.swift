import BenchmarkCore
import CSQLiteBenchmark
import Foundation

/// Inserts and migrates trips with hand-written SQL. The library has created the store and its tables.
public struct RawMigration {
  private let connection: RawConnection

  /// Opens a store with the settings that the library uses.
  public init(_ file: URL) throws {
    RawContender.sameSettings.prepareProcess()
    connection = try RawConnection(file, settings: RawSettings(cacheMebibytes: 64, keepsMemoryStatistics: false))
  }

  /// Inserts trips. Each trip has an item of its bucket list, and every tenth has a place to live. If `hasDuplicates`
  /// is true, every hundredth trip has the same name as the trip before it.
  public func fill(trips: Int, hasDuplicates: Bool) throws {
    let name = hasDuplicates ? "CASE WHEN n % 100 = 0 THEN n - 1 ELSE n END" : "n"
    try connection.execute(
      """
      BEGIN;
      INSERT INTO Trip (_osd_key, name, destination, start_date, end_date, seats, rating)
      WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(trips))
      SELECT n, 'trip ' || ((\(name)) * 7919 % \(trips)) || ' ' || (\(name)), 'place ' || n, n + 0.5, n + 60.5, n % 9,
        CASE WHEN n % 3 THEN n % 5 END FROM numbers;
      INSERT INTO BucketListItem (_osd_key, title, isDone, trip) SELECT _osd_key, 'wish ' || _osd_key, 0, _osd_key FROM Trip;
      INSERT INTO LivingAccommodation (_osd_key, address, trip)
      SELECT _osd_key, _osd_key || ' Main Street', _osd_key FROM Trip WHERE _osd_key % 10 = 0;
      COMMIT;
      PRAGMA wal_checkpoint(TRUNCATE)
      """)
  }

  /// Migrates with hand-written SQL for the same steps, in one transaction, and with a checkpoint at the end.
  public func migrate(_ step: MigrationCase) throws {
    // As SQLite's documentation recommends for changes of tables that others refer to.
    try connection.execute("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")
    switch step {
    case .lightweight: try connection.execute(Self.renaming + Self.addition)
    case .anew: try connection.execute(Self.makingAnew)
    case .staged:
      try removeDuplicates()
      try connection.execute(Self.renaming)
    }
    try connection.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private static let renaming = """
    CREATE UNIQUE INDEX trip_name ON Trip (name);
    ALTER TABLE Trip RENAME COLUMN start_date TO startDate;
    ALTER TABLE Trip RENAME COLUMN end_date TO endDate;
    """

  private static let addition = "ALTER TABLE Trip ADD COLUMN remark TEXT NOT NULL DEFAULT 'none';"

  private static let makingAnew = """
    CREATE TABLE new_trip(
      _osd_key INTEGER PRIMARY KEY, name TEXT NOT NULL, destination TEXT NOT NULL, startDate NOT NULL, endDate NOT NULL,
      seats NOT NULL, rating INTEGER NOT NULL);
    INSERT INTO new_trip SELECT _osd_key, name, destination, start_date, end_date, CAST(seats AS REAL), coalesce(rating, 3)
      FROM Trip;
    DROP TABLE Trip;
    ALTER TABLE new_trip RENAME TO Trip;
    CREATE UNIQUE INDEX trip_name ON Trip (name);
    """

  /// Of several trips with the same name, keeps the one that begins first, and moves the bucket lists of the others to
  /// it.
  private func removeDuplicates() throws {
    var kept: [String: RawTrip] = [:]
    var superfluous: [(trip: RawTrip, first: RawTrip)] = []
    let query = "SELECT _osd_key, name, destination, start_date, end_date, seats, rating FROM Trip ORDER BY start_date"
    try connection.prepare(query).forEachRow { row in
      let trip = RawTrip(row: row)
      if let first = kept[trip.name] { superfluous.append((trip, first)) } else { kept[trip.name] = trip }
    }
    let move = try connection.prepare("UPDATE BucketListItem SET trip = ?2 WHERE trip = ?1")
    let leave = try connection.prepare("DELETE FROM LivingAccommodation WHERE trip = ?1")
    let remove = try connection.prepare("DELETE FROM Trip WHERE _osd_key = ?1")
    for (trip, first) in superfluous {
      move.bind(trip.key, first.key)
      try move.run()
      for statement in [leave, remove] {
        statement.bind(trip.key)
        try statement.run()
      }
    }
  }

  /// A number that is equal for two migrated stores if they have the same trips, items and places in the same rows.
  public func checksum(of step: MigrationCase) throws -> Int {
    let more = step == .lightweight ? ", remark" : step == .anew ? ", seats, rating" : ""
    let queries = [
      "SELECT _osd_key, name, destination, startDate, endDate\(more) FROM Trip ORDER BY _osd_key",
      "SELECT _osd_key, title, isDone, trip FROM BucketListItem ORDER BY _osd_key",
      "SELECT _osd_key, address, trip FROM LivingAccommodation ORDER BY _osd_key",
      "SELECT count(*) FROM pragma_index_list('Trip') WHERE \"unique\"",
    ]
    var bits: UInt64 = 0xCBF2_9CE4_8422_2325
    for query in queries {
      try connection.prepare(query).forEachRow { row in
        for column in 0..<sqlite3_column_count(row) {
          bits = (bits ^ UInt64(sqlite3_column_type(row, column))) &* 0x100_0000_01B3
          for byte in (RawText.read(row, column) ?? "").utf8 { bits = (bits ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
      }
    }
    return Int(truncatingIfNeeded: bits)
  }
}

/// The hand-written class of a trip of the first version.
private final class RawTrip {
  let key: Int
  let name: String
  let destination: String
  let start: Date
  let end: Date
  let seats: Int32
  let rating: Int?

  /// Reads the current row of the statement.
  init(row: OpaquePointer) {
    key = Int(sqlite3_column_int64(row, 0))
    name = RawText.read(row, 1) ?? ""
    destination = RawText.read(row, 2) ?? ""
    start = Date(timeIntervalSinceReferenceDate: sqlite3_column_double(row, 3))
    end = Date(timeIntervalSinceReferenceDate: sqlite3_column_double(row, 4))
    seats = sqlite3_column_int(row, 5)
    rating = sqlite3_column_type(row, 6) == SQLITE_NULL ? nil : Int(sqlite3_column_int64(row, 6))
  }
}
