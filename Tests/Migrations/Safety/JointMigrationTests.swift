import ConformanceSupport
import Foundation
import MigrationWorkload
import SwiftData
import Testing

@Suite("Migrations of one container's stores, which succeed or fail together", .onSQLite, .serialized)
struct JointMigrationTests {
  private static let rows = 300

  private func stores() throws -> MigratedStore {
    let stores = try MigratedStore()
    try FleetStores.make(in: stores.folder, rows: Self.rows)
    return stores
  }

  private func withCopy<Result>(of template: MigratedStore, _ body: (URL) throws -> Result) throws -> Result {
    let copy = try MigratedStore()
    try FileManager.default.removeItem(at: copy.folder)
    try FileManager.default.copyItem(at: template.folder, to: copy.folder)
    return try withExtendedLifetime(copy) { try body(copy.folder) }
  }

  private func version(_ file: String, in folder: URL) throws -> Int {
    let database = try RawDatabase(folder.appending(path: file).path)
    #expect(try database.column("PRAGMA integrity_check") == ["ok"])
    let json = try #require(try database.column("SELECT value FROM _osd_metadata WHERE key = 'schema'").first)
    return try JSONDecoder().decode(Schema.self, from: Data(json.utf8)).version.major
  }

  private func versions(in folder: URL) throws -> [Int] {
    try FleetStores.files.map { try version($0, in: folder) }
  }

  /// Lists the temporary files and metadata entries of a joint migration that are still in the folder and in the
  /// stores.
  private func litter(in folder: URL) throws -> [String] {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains("_joint") }
    let notes = try FleetStores.files.flatMap { file in
      try RawDatabase(folder.appending(path: file).path).column(
        "SELECT key FROM _osd_metadata WHERE key = 'joint migration'")
    }
    return files + notes
  }

  /// Opens the stores with the old version, as the old program would. Returns true if all stores have their complete
  /// old contents. Otherwise the function checks that all stores have their complete new contents.
  private func isOld(_ folder: URL) throws -> Bool {
    do {
      #expect(try FleetStores.originalProblems(in: folder, rows: Self.rows) == [])
      #expect(try versions(in: folder) == [1, 1, 1])
      return true
    } catch let error as SwiftDataError {
      #expect(error == .backwardMigration)
      #expect(try FleetStores.problems(in: folder, rows: Self.rows) == [])
      #expect(try versions(in: folder) == [2, 2, 2])
      return false
    }
  }

  @Test("opening a container migrates all its stores, and leaves no temporary file")
  func all() throws {
    try withCopy(of: stores()) { folder in
      let (problems, versions) = (try FleetStores.problems(in: folder, rows: Self.rows), try versions(in: folder))
      let litter = try litter(in: folder)
      #expect(problems == [] && versions == [2, 2, 2] && litter == [])
    }
  }

  /// Kills the process at the commit with the given number. Returns true if the stores are the old ones afterwards, or
  /// nil if the process made fewer commits.
  private func outcome(of folder: URL, killedAtCommit number: Int) throws -> Bool? {
    if try MigratorProcess("fleet", folder.path, "\(number)").result().code == 0 { return nil }
    let found = try versions(in: folder)
    let isOld = try isOld(folder)
    // The last store's commit decides for all stores: if that store has the old version, all stores are reverted.
    #expect(isOld == (found.last == 1), "\(found)")
    #expect(try litter(in: folder) == [])
    #expect(try FleetStores.problems(in: folder, rows: Self.rows) == [])
    return isOld
  }

  @Test("after a process was killed at any of its commits, either all stores are old or all stores are new")
  func killsAtCommits() throws {
    let template = try stores()
    var outcomes: [Bool] = []
    while let isOld = try withCopy(of: template, { try outcome(of: $0, killedAtCommit: outcomes.count + 1) }) {
      outcomes.append(isOld)
    }
    // A kill before any of the three stores has committed, or between their commits, reverts all stores. The commits
    // after these three only remove the metadata of the joint migration.
    #expect(outcomes.prefix(3) == [true, true, true] && outcomes.count > 3)
    #expect(outcomes.dropFirst(3).allSatisfy { !$0 })
  }

  @Test(
    "if a process was killed before the last store's commit, opening a migrated store alone reverts this store")
  func alone() throws {
    let template = try stores()
    for number in [2, 3, 4] {
      try withCopy(of: template) { folder in
        #expect(try MigratorProcess("fleet", folder.path, "\(number)").result().code != 0)
        #expect(try version("crew.store", in: folder) == 2)
        try openAlone(folder.appending(path: "crew.store"), isComplete: number == 4)
        _ = try isOld(folder)
        #expect(try FleetStores.problems(in: folder, rows: Self.rows) == [] && litter(in: folder) == [])
      }
    }
  }

  private func openAlone(_ crew: URL, isComplete: Bool) throws {
    let readOnly = ModelConfiguration(url: crew, allowsSave: false)
    guard !isComplete else {
      _ = try ModelContainer(for: FleetV2.Crew.self, configurations: readOnly)
      return
    }
    let error = #expect(throws: SwiftDataError.self) {
      _ = try ModelContainer(for: FleetV2.Crew.self, configurations: readOnly)
    }
    #expect(error == .storeReadOnly && "\(error.map { "\($0)" } ?? "")".contains("together with others"))
    let container = try ModelContainer(for: FleetV1.Crew.self, configurations: ModelConfiguration(url: crew))
    let count = try ModelContext(container).fetchCount(FetchDescriptor<FleetV1.Crew>())
    #expect(count == Self.rows)
  }

  @Test("after a process was killed at a random moment, either all stores are old or all stores are new")
  func killsAtMoments() throws {
    let kills = ProcessInfo.processInfo.environment["OSD_MIGRATION_KILLS"].flatMap { Int($0) } ?? 40
    let template = try stores()
    let duration = try withCopy(of: template) { folder in
      try ContinuousClock().measure {
        let process = try MigratorProcess("fleet", folder.path)
        process.waitForFirstLine()
        #expect(process.result().code == 0)
      }
    }
    RandomTesting.note("kills of migrations", kills)
    let seed = RandomTesting.seed
    print("migrations: seed \(seed) (OSD_SEED), \(kills) kills of joint ones")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<kills {
      try withCopy(of: template) { folder in
        let process = try MigratorProcess("fleet", folder.path)
        process.waitForFirstLine()
        // The process only reports when the migration begins, so the test kills it after a random time.
        letTimePass(upTo: duration, using: &random)
        _ = process.kill()
        _ = try isOld(folder)
        #expect(try FleetStores.problems(in: folder, rows: Self.rows) == [] && litter(in: folder) == [])
      }
    }
  }

  @Test("if one store cannot be migrated, all stores stay unchanged")
  func refusal() throws {
    try withCopy(of: stores()) { folder in
      let ports = try RawDatabase(folder.appending(path: "ports.store").path)
      try ports.run("UPDATE Port SET name = 'port 1' WHERE name = 'port 2'")
      let error = #expect(throws: SwiftDataError.self) { _ = try FleetStores.container(of: FleetV2.self, in: folder) }
      #expect(error == .modelValidationFailure && "\(error.map { "\($0)" } ?? "")".contains("ports.store"))
      #expect(try versions(in: folder) == [1, 1, 1] && litter(in: folder) == [])
    }
  }

  @Test("if one store that needs a migration is read-only, all stores stay unchanged")
  func readOnly() throws {
    try withCopy(of: stores()) { folder in
      let configurations = [
        ModelConfiguration("Crew", schema: Schema([FleetV2.Crew.self]), url: folder.appending(path: "crew.store")),
        ModelConfiguration("Port", schema: Schema([FleetV2.Port.self]), url: folder.appending(path: "ports.store")),
        ModelConfiguration(
          "Ship", schema: Schema([FleetV2.Ship.self]), url: folder.appending(path: "ships.store"), allowsSave: false),
      ]
      let error = #expect(throws: SwiftDataError.self) {
        _ = try ModelContainer(for: Schema(versionedSchema: FleetV2.self), configurations: configurations)
      }
      let (versions, litter) = (try versions(in: folder), try litter(in: folder))
      #expect(error == .storeReadOnly && versions == [1, 1, 1] && litter == [])
    }
  }

  @Test("if several processes open the stores at the same time, each process finds all stores migrated")
  func together() throws {
    let template = try stores()
    let processes = try (0..<3).map { _ in try MigratorProcess("fleet", template.folder.path) }
    for process in processes { #expect(process.result().code == 0) }
    #expect(try FleetStores.problems(in: template.folder, rows: Self.rows) == [] && litter(in: template.folder) == [])
  }
}
