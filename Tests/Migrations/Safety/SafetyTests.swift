import ConformanceSupport
import Foundation
import MigrationWorkload
import SwiftData
import Testing

/// A store of version 1, which the tests copy.
private final class Template {
  let store: MigratedStore
  let trips: Int

  init(trips: Int) throws {
    self.trips = trips
    store = try MigratedStore()
    try TripStores.make(at: store.url, trips: trips)
  }

  func copy() throws -> MigratedStore {
    let copy = try MigratedStore()
    for suffix in ["", "-wal", "_external"] where FileManager.default.fileExists(atPath: store.url.path + suffix) {
      try FileManager.default.copyItem(atPath: store.url.path + suffix, toPath: copy.url.path + suffix)
    }
    return copy
  }
}

extension MigratedStore {
  /// The names of the store's external files.
  var externalFiles: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path + "_external")) ?? []).sorted()
  }

  /// Checks that the file is valid and has no dangling references. Returns the version of the store's schema.
  func soundVersion() throws -> Int {
    let database = try RawDatabase(url.path)
    #expect(try database.column("PRAGMA integrity_check") == ["ok"])
    #expect(try database.rows("PRAGMA foreign_key_check") == [])
    #expect(try database.tables.filter { $0.hasPrefix("_osd_old_") } == [])
    let json = try #require(try database.column("SELECT value FROM _osd_metadata WHERE key = 'schema'").first)
    return try JSONDecoder().decode(Schema.self, from: Data(json.utf8)).version.major
  }
}

/// `make test` kills sixty processes, a soak run (`OSD_SOAK`) two hundred.
@Suite("Interrupted migrations", .onSQLite, .serialized)
struct SafetyTests {
  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  @Test("after a process was killed at any time, the store is completely old or new, and no temporary file is left")
  func kills() throws {
    let kills = Self.number("OSD_MIGRATION_KILLS").map { Int($0) } ?? (RandomTesting.soak > 1 ? 200 : 60)
    let seed = RandomTesting.seed
    print("migrations: seed \(seed) (OSD_SEED), \(kills) kills (OSD_MIGRATION_KILLS)")
    var random = SeededGenerator(seed: seed)
    let template = try Template(trips: 1_200)
    let whole = try template.copy()
    let clock = ContinuousClock()
    let duration = try clock.measure {
      let process = try MigratorProcess("migrate", whole.url.path)
      process.waitForFirstLine()
      #expect(process.result().code == 0)
    }
    var counts = [0, 0, 0, 0]
    var early = 0
    // The longest time after which a process is killed. It grows after each process that was killed during its
    // migration, and shrinks after each one that had already finished, because the load of the machine varies.
    var window = duration
    while counts[1] + counts[3] - early < kills {
      let store = try template.copy()
      let process = try MigratorProcess("migrate", store.url.path)
      process.waitForFirstLine()
      // The process only reports when the migration begins, so the test kills it after a random time.
      letTimePass(upTo: window, using: &random)
      let isInTime = process.kill()
      window = window * (isInTime ? 1.02 : 0.85)
      if !isInTime { early += 1 }
      let version = try store.soundVersion()
      counts[version] += 1
      if version == 1 { #expect(try TripStores.originalProblems(at: store.url, trips: template.trips) == []) }
      #expect(try TripStores.problems(at: store.url, trips: template.trips) == [])
      // The store is opened a second time, after which no external file without a row may exist.
      #expect(try TripStores.problems(at: store.url, trips: template.trips) == [])
      #expect(store.externalFiles == [])
    }
    RandomTesting.note("kills of migrations", kills)
    print(
      "migrations: \(kills) kills within \(duration): \(counts[1]) old stores, \(counts[3]) new ones, \(early) late")
    #expect(counts[2] == 0)
    // Some processes must be killed before the migration's commit and some after it.
    if kills >= 50 { #expect(counts[1] > 0 && counts[3] > 0) }
  }

  @Test("if the disk is full, the store stays unchanged and the error names the cause")
  func fullDisk() throws {
    let template = try Template(trips: 4_000)
    let size = try FileManager.default.attributesOfItem(atPath: template.store.url.path)[.size] as? Int ?? 0
    for limit in [size / 8, size / 2] {
      let store = try template.copy()
      try RawDatabase(store.url.path).run("PRAGMA wal_checkpoint(TRUNCATE)")
      let result = try MigratorProcess("migrate", store.url.path, "\(limit)").result()
      #expect(result.code == 1 && result.text.contains("storeFull"), "\(limit): \(result.text)")
      #expect(try store.soundVersion() == 1)
      #expect(try TripStores.originalProblems(at: store.url, trips: template.trips) == [])
    }
  }

  @Test("if several processes open a store at the same time, one migrates it and the others wait")
  func together() throws {
    let template = try Template(trips: 3_000)
    for _ in 0..<3 {
      let store = try template.copy()
      let processes = try (0..<3).map { _ in try MigratorProcess("migrate", store.url.path) }
      let results = processes.map { $0.result() }
      #expect(results.allSatisfy { $0.code == 0 && $0.text.contains("migrated 1500") }, "\(results)")
      #expect(results.count { $0.text.contains("removing duplicates") } == 1)
      #expect(try TripStores.problems(at: store.url, trips: template.trips) == [])
    }
  }

  @Test("the migration timeout may be the longest possible duration")
  func longestTimeout() throws {
    let template = try Template(trips: 60)
    let store = try template.copy()
    _ = try TripStores.migrated(at: store.url) { configuration in
      configuration.busyTimeout = .seconds(Int64.max)
      configuration.migrationTimeout = .seconds(Int64.max)
    }
    #expect(try store.soundVersion() == 3)
  }

  @Test("the backup contains the old store until the new store has been opened a second time")
  func backup() throws {
    let template = try Template(trips: 600)
    let store = try template.copy()
    let backup = URL(filePath: store.url.path + "_backup")
    _ = try TripStores.migrated(at: store.url) { $0.keepsMigrationBackup = true }
    #expect(store.externalFiles == [])
    #expect(try TripStores.originalProblems(at: backup, trips: template.trips) == [])
    #expect(try TripStores.problems(at: store.url, trips: template.trips) == [])
    #expect(FileManager.default.fileExists(atPath: backup.path))
    _ = try TripStores.migrated(at: store.url) { $0.keepsMigrationBackup = true }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: store.folder.path).filter { $0.contains("backup") } == [])
  }
}
