import ConformanceSupport
import Foundation
import MigrationWorkload
import SwiftData
import Testing

private enum TripsV4: VersionedSchema {
  static let versionIdentifier = Schema.Version(4, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, BucketListItem.self, LivingAccommodation.self] }

  // A number gets a wider type and an optional attribute becomes required, so the migration has to rebuild the table.
  @Model final class Trip {
    @Attribute(.unique) var name: String
    var destination: String
    @Attribute(originalName: "start_date") var startDate: Date
    @Attribute(originalName: "end_date") var endDate: Date
    var picture: Data = Data()
    @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip) var bucketList: [BucketListItem]? = []
    @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
    var livingAccommodation: LivingAccommodation?
    init(name: String) {
      (self.name, destination, startDate, endDate) = (name, "", .now, .now)
    }
  }

  @Model final class BucketListItem {
    var title: String
    var trip: Trip?
    init(_ title: String) { self.title = title }
  }

  @Model final class LivingAccommodation {
    var address: String
    var trip: Trip?
    init(_ address: String) { self.address = address }
  }
}

private enum UniqueThenRenamed: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self, TripsV3.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self),
      .lightweight(fromVersion: TripsV2.self, toVersion: TripsV3.self),
    ]
  }
}

/// Compares the CPU time of migrations with the CPU time of hand-written SQL. `OSD_MIGRATION_ROWS=1000000 swift test
/// --filter ScaleTests` measures a million trips. With less than half a million rows, the times are printed but not
/// checked.
@Suite("Migrations of many rows", .onSQLite, .serialized)
struct ScaleTests {
  private static let rows = ProcessInfo.processInfo.environment["OSD_MIGRATION_ROWS"].flatMap { Int($0) } ?? 30_000

  /// Creates a store of version 1. SQL inserts the rows, because a million objects would take too long to create.
  private func store() throws -> MigratedStore {
    let store = try MigratedStore()
    _ = try ModelContainer(
      for: Schema(versionedSchema: TripsV1.self), configurations: [ModelConfiguration(url: store.url)])
    let database = try RawDatabase(store.url.path)
    try database.run(
      """
      INSERT INTO Trip (_osd_key, name, destination, start_date, end_date)
      WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(Self.rows))
      SELECT n, 'trip ' || (n * 7919 % \(Self.rows)) || ' ' || n, 'place ' || n, n, n + 60 FROM numbers
      """)
    try database.run(
      "INSERT INTO BucketListItem (_osd_key, title, trip) SELECT _osd_key, 'item ' || _osd_key, _osd_key FROM Trip")
    try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    return store
  }

  private func copy(_ store: MigratedStore) throws -> MigratedStore {
    let copy = try MigratedStore()
    try FileManager.default.copyItem(at: store.url, to: copy.url)
    // Pages that are not on the disk yet are written now, so that the measurement does not include it.
    sync()
    return copy
  }

  /// Measures the CPU seconds of hand-written SQL statements. The connection has the settings with which the library
  /// opens stores.
  private func raw(_ store: MigratedStore, _ statements: [String]) throws -> Double {
    let time = try cpuTime {
      let database = try RawDatabase(store.url.path)
      try database.run("PRAGMA synchronous = NORMAL")
      try database.run("PRAGMA cache_size = -65536")
      for sql in ["BEGIN IMMEDIATE"] + statements + ["COMMIT", "PRAGMA wal_checkpoint(TRUNCATE)"] {
        try database.run(sql)
      }
    }
    return time / .seconds(1)
  }

  private func ours(_ store: MigratedStore, _ open: () throws -> Void) throws -> Double {
    try cpuTime(open) / .seconds(1)
  }

  /// Measures three rounds, and returns the median of the quotients: CPU time of the library divided by CPU time of the
  /// SQL.
  private func compare(
    _ name: String, _ statements: [String], _ open: (MigratedStore) throws -> Void
  ) throws -> Double {
    let store = try store()
    var ratios: [Double] = []
    for _ in 0..<3 {
      let base = try raw(try copy(store), statements)
      let target = try copy(store)
      let before = Self.residentMemory
      let time = try ours(target) { try open(target) }
      ratios.append(time / base)
      print(
        "migrations: \(name) of \(Self.rows) trips: raw \(base) s, ours \(time) s, \(time / base); memory "
          + "\(before >> 20) to \(Self.residentMemory >> 20) MiB")
    }
    return ratios.sorted()[1]
  }

  private static var residentMemory: Int {
    let words = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return words.count > 1 ? (Int(words[1]) ?? 0) * 4096 : 0
  }

  @Test("adding a unique name and renaming two dates takes little more CPU time than SQL, and constant memory")
  func trips() throws {
    let before = Self.residentMemory
    let ratio = try compare(
      "V1 to V3",
      [
        "CREATE UNIQUE INDEX trip_name ON Trip (name)", "ALTER TABLE Trip RENAME COLUMN start_date TO startDate",
        "ALTER TABLE Trip RENAME COLUMN end_date TO endDate",
        "ALTER TABLE Trip ADD COLUMN remark TEXT NOT NULL DEFAULT 'none'",
        "DROP TRIGGER _osd_delete_0_Trip", "DROP TRIGGER _osd_update_0_Trip",
      ]
    ) { store in
      _ = try store.open(TripsV3.models, version: Schema.Version(3, 0, 0), plan: UniqueThenRenamed.self)
    }
    #expect(Self.rows < 500_000 || ratio < 1.5)
    #expect(Self.residentMemory - before < 200 << 20)
  }

  @Test("rebuilding a table takes little more CPU time than hand-written SQL, and constant memory")
  func anew() throws {
    let before = Self.residentMemory
    let ratio = try compare(
      "V1 to V4",
      [
        "CREATE TABLE new (_osd_key INTEGER PRIMARY KEY, name TEXT NOT NULL, destination TEXT NOT NULL, startDate NOT NULL, "
          + "endDate NOT NULL, picture BLOB NOT NULL)",
        "INSERT INTO new SELECT _osd_key, name, destination, start_date, end_date, coalesce(picture, x'') FROM Trip",
        "DROP TABLE Trip", "ALTER TABLE new RENAME TO Trip", "CREATE UNIQUE INDEX trip_name ON Trip (name)",
      ]
    ) { store in
      _ = try store.open(TripsV4.models, version: Schema.Version(4, 0, 0))
    }
    #expect(Self.rows < 500_000 || ratio < 1.5)
    #expect(Self.residentMemory - before < 200 << 20)
  }
}
