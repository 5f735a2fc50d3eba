#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import OpenSwiftData
  import MigrationWorkload
  import PersistenceCore
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import SeededNumbers
  import Testing

  /// A process that runs the program `Migrator`.
  private final class MigratingProcess {
    private let process = Process()
    private let output = Pipe()

    init(_ store: ServerStore) throws {
      process.executableURL = try TestProgram.url("Migrator")
      process.arguments = ["server", store.configuration.url, store.configuration.namespace]
      process.standardOutput = output
      try process.run()
    }

    func waitForFirstLine() { _ = output.fileHandleForReading.availableData }

    /// Kills the process. Returns true if it was still running.
    func kill() -> Bool {
      let isRunning = process.isRunning
      Foundation.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      return isRunning && process.terminationReason == .uncaughtSignal
    }

    func result() -> (code: Int32, text: String) {
      let data = (try? output.fileHandleForReading.readToEnd()) ?? nil
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: data ?? Data(), as: UTF8.self))
    }
  }

  private enum Plain {
    @Model final class Buoy {
      var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Wharf {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  /// Adds a column for a colour. Programs with the old schema would leave it empty.
  private enum Marked {
    @Model final class Buoy {
      var name: String
      var colour: String?
      init(_ name: String) { self.name = name }
    }
    @Model final class Wharf {
      @Attribute(originalName: "name") var title: String
      init(_ title: String) { self.title = title }
    }
  }

  private enum Counted {
    @Model final class Buoy {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
  }

  private enum Measured {
    @Model final class Buoy {
      var number: Double
      init(_ number: Double) { self.number = number }
    }
  }

  private enum Unlike {
    @Model final class Buoy {
      @Attribute(.unique) var name: String
      init(_ name: String) { self.name = name }
    }
    @Model final class Wharf {
      @Attribute(.unique) var name: String
      init(_ name: String) { self.name = name }
    }
  }

  @Suite("Migrations on a server while other programs use the store", .serialized)
  struct PostgresSharedMigrationTests {
    private func trips(_ count: Int) throws -> ServerStore {
      let store = try ServerStore()
      try TripStores.fill(TripStores.original(store.configuration), trips: count)
      return store
    }

    /// The version of the store's schema. Expects that no migration has left temporary tables or other remains.
    private func soundVersion(_ store: ServerStore) throws -> Int {
      #expect(try store.catalog().problems() == [])
      let json = try #require(
        try store.catalog().rows("SELECT value FROM _osd_metadata WHERE key = 'schema'").first?[0])
      return try JSONDecoder().decode(Schema.self, from: Data(json.utf8)).version.major
    }

    @Test(
      "after a migration, saves with the old schema and fetches of changed tables throw an error naming the migration"
    )
    func oldPrograms() throws {
      let store = try ServerStore()
      let old = try store.open([Plain.Buoy.self, Plain.Wharf.self])
      let context = ModelContext(old)
      context.insert(Plain.Buoy("a"))
      context.insert(Plain.Wharf("b"))
      try context.save()
      try store.use([Marked.Buoy.self, Marked.Wharf.self]) { $0.insert(Marked.Buoy("new")) }
      // The INSERT of the old schema would succeed and leave the colour empty, so the save must throw.
      context.insert(Plain.Buoy("late"))
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error == .backwardMigration && "\(error.map { "\($0)" } ?? "")".contains("migrated the store"))
      #expect(throws: SwiftDataError.backwardMigration) { try old.erase() }
      // Fetches of unchanged tables succeed. Fetches of missing tables or columns throw an error that names the
      // migration.
      let other = ModelContext(old)
      #expect(try other.fetchCount(FetchDescriptor<Plain.Buoy>()) == 2)
      let missing = #expect(throws: SwiftDataError.self) { try other.fetch(FetchDescriptor<Plain.Wharf>()) }
      #expect(missing == .backwardMigration)
      let migrated = ModelContext(try store.open([Marked.Buoy.self, Marked.Wharf.self]))
      #expect(Set(try migrated.fetch(FetchDescriptor<Marked.Buoy>()).map(\.name)) == ["a", "new"])
      #expect(try migrated.fetch(FetchDescriptor<Marked.Wharf>()).map(\.title) == ["b"])
    }

    @Test(
      "a fetch by a prepared statement or by COPY throws after the type of a column changes",
      arguments: [(true, 1), (false, 1_500)])
    func keptStatements(hasPredicate: Bool, count: Int) throws {
      let store = try ServerStore()
      store.configuration.maximumConnections = 2
      let old = try store.open([Counted.Buoy.self])
      let context = ModelContext(old)
      for _ in 0..<count { context.insert(Counted.Buoy(3)) }
      try context.save()
      func read() throws -> [Int] {
        let predicate = hasPredicate ? #Predicate<Counted.Buoy> { $0.number > 0 } : nil
        return try ModelContext(old).fetch(FetchDescriptor<Counted.Buoy>(predicate: predicate)).map(\.number)
      }
      // The store prepares a statement when it is used for the second time.
      for _ in 0..<3 { #expect(try read() == Array(repeating: 3, count: count)) }
      _ = try store.open([Measured.Buoy.self])
      let error = #expect(throws: SwiftDataError.self) { for _ in 0..<3 { _ = try read() } }
      #expect(error == .backwardMigration, "\(error.map { "\($0)" } ?? "")")
    }

    @Test("a save with the old schema throws even if the store has been migrated back")
    func thereAndBack() throws {
      let store = try ServerStore()
      let context = ModelContext(try store.open([Plain.Buoy.self]))
      _ = try store.open([Marked.Buoy.self])
      _ = try store.open([Plain.Buoy.self])
      context.insert(Plain.Buoy("late"))
      #expect(throws: SwiftDataError.backwardMigration) { try context.save() }
    }

    @Test("a migration waits for an open transaction, and a later save with the old schema throws")
    func openTransaction() async throws {
      let store = try ServerStore()
      let models: [any PersistentModel.Type] = [Plain.Buoy.self, Plain.Wharf.self]
      let old = try store.open(models)
      let context = ModelContext(old)
      let url = store.configuration
      let migration = Lock<Task<Int, any Error>?>(nil)
      try context.transaction {
        context.insert(Plain.Buoy("first"))
        try context.save()
        migration.withLock {
          $0 = Task.detached {
            let container = try ModelContainer(
              for: Schema([Marked.Buoy.self, Marked.Wharf.self]), configurations: [url])
            return try ModelContext(container).fetchCount(FetchDescriptor<Marked.Buoy>())
          }
        }
        let catalog = try store.catalog()
        let isWaiting = try waitUntil {
          try !catalog.rows("SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'").isEmpty
        }
        #expect(isWaiting, "the migration waits for the transaction")
        context.insert(Plain.Buoy("second"))
      }
      let running = try #require(migration.withLock { $0 })
      #expect(try await running.value == 2)
      let late = ModelContext(old)
      late.insert(Plain.Buoy("late"))
      #expect(throws: SwiftDataError.backwardMigration) { try late.save() }
    }

    @Test("all stores of a container are migrated; if one store cannot be migrated, no store is")
    func several() throws {
      let (first, second) = (try ServerStore(), try ServerStore())
      func open(_ buoy: any PersistentModel.Type, _ wharf: any PersistentModel.Type) throws -> ModelContainer {
        (first.configuration.schema, second.configuration.schema) = (Schema([buoy]), Schema([wharf]))
        (first.configuration.name, second.configuration.name) = ("first", "second")
        return try ModelContainer(
          for: Schema([buoy, wharf]), configurations: [first.configuration, second.configuration])
      }
      do {
        let context = ModelContext(try open(Plain.Buoy.self, Plain.Wharf.self))
        for name in ["a", "b"] { context.insert(Plain.Buoy(name)) }
        for _ in 0..<2 { context.insert(Plain.Wharf("same")) }
        try context.save()
      }
      let before = (try first.catalog().dump(), try second.catalog().dump())
      let error = #expect(throws: SwiftDataError.self) { try open(Unlike.Buoy.self, Unlike.Wharf.self) }
      #expect(error == .modelValidationFailure && "\(error.map { "\($0)" } ?? "")".contains("\"same\" (2 times)"))
      let after = (try first.catalog().dump(), try second.catalog().dump())
      #expect(before.0 == after.0 && before.1 == after.1)
      let context = ModelContext(try open(Marked.Buoy.self, Marked.Wharf.self))
      #expect(try context.fetchCount(FetchDescriptor<Marked.Buoy>()) == 2)
      #expect(try context.fetch(FetchDescriptor<Marked.Wharf>()).map(\.title) == ["same", "same"])
    }

    @Test("a read-only container throws if its store needs a migration, and does not migrate it")
    func readOnly() throws {
      let store = try trips(4)
      let before = try store.catalog().dump()
      store.configuration.allowsSave = false
      let error = #expect(throws: SwiftDataError.self) { _ = try TripStores.migrated(store.configuration) }
      #expect(error == .storeReadOnly && "\(error.map { "\($0)" } ?? "")".contains("has to be migrated"))
      #expect(try store.catalog().dump() == before)
    }

    @Test("a migration that waits longer than its timeout throws and changes nothing")
    func busy() throws {
      let store = try trips(4)
      let holder = try store.catalog().connection
      try holder.execute("BEGIN; LOCK TABLE _osd_schema_1 IN ACCESS SHARE MODE")
      store.configuration.migrationTimeout = .milliseconds(200)
      #expect(throws: SwiftDataError.storeBusy) { _ = try TripStores.migrated(store.configuration) }
      try holder.execute("ROLLBACK")
      #expect(try TripStores.problems(of: TripStores.migrated(store.configuration), trips: 4) == [])
    }

    @Test("if several containers and processes open a store at once, one migrates it and the others wait")
    func together() async throws {
      for _ in 0..<2 {
        let store = try trips(600)
        let configuration = store.configuration
        let processes = try (0..<2).map { _ in try MigratingProcess(store) }
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
          for _ in 0..<2 {
            group.addTask {
              try ModelContext(TripStores.migrated(configuration)).fetchCount(FetchDescriptor<TripsV3.Trip>())
            }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        let results = processes.map { $0.result() }
        #expect(counts == [300, 300])
        #expect(results.allSatisfy { $0.code == 0 && $0.text.contains("migrated 300") }, "\(results)")
        #expect(results.count { $0.text.contains("removing duplicates") } <= 1)
        #expect(try store.catalog().rows("SELECT value FROM _osd_metadata WHERE key = 'schema number'") == [["2"]])
        #expect(try TripStores.problems(of: TripStores.migrated(configuration), trips: 600) == [])
      }
    }

    @Test("if a process is killed during its migration, the store is completely old or completely new")
    func kills() throws {
      var random = SeededGenerator(seed: RandomTesting.seed)
      let whole = try trips(400)
      let duration = try ContinuousClock().measure {
        let process = try MigratingProcess(whole)
        process.waitForFirstLine()
        #expect(process.result().code == 0)
      }
      var counts = [0, 0, 0, 0]
      for _ in 0..<8 {
        let store = try trips(400)
        let process = try MigratingProcess(store)
        process.waitForFirstLine()
        // The kill happens at a random time, because the process reports only the beginning of the migration.
        letTimePass(upTo: duration, using: &random)
        _ = process.kill()
        try end(store)
        let version = try soundVersion(store)
        counts[version] += 1
        if version == 1 {
          #expect(try TripStores.originalProblems(of: TripStores.original(store.configuration), trips: 400) == [])
        }
        #expect(try TripStores.problems(of: TripStores.migrated(store.configuration), trips: 400) == [])
      }
      #expect(counts[2] == 0, "\(counts)")
    }

    /// Waits until no other session locks tables of the store, such as the session of a killed process.
    private func end(_ store: ServerStore) throws {
      let catalog = try store.catalog()
      let others =
        "SELECT 1 FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation JOIN pg_namespace AS n "
        + "ON n.oid = c.relnamespace WHERE n.nspname = '\(store.configuration.namespace)' AND l.pid <> pg_backend_pid()"
      try #require(try waitUntil { try catalog.rows(others).isEmpty })
    }

    @Test("if a migration's session ends at any statement, the migration is rolled back, and the next opening migrates")
    func terminated() async throws {
      var random = SeededGenerator(seed: RandomTesting.seed)
      for _ in 0..<6 {
        let store = try trips(200)
        let configuration = store.configuration
        let catalog = try store.catalog()
        let migration = Task.detached { try TripStores.migrated(configuration) }
        // The session ends at a random time, because the migration does not report its progress.
        letTimePass(upTo: .milliseconds(60), using: &random)
        _ = try catalog.rows(
          "SELECT pg_terminate_backend(l.pid)::int4 FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation "
            + "JOIN pg_namespace AS n ON n.oid = c.relnamespace "
            + "WHERE n.nspname = '\(configuration.namespace)' AND l.pid <> pg_backend_pid()")
        do {
          _ = try await migration.value
        } catch let error as SwiftDataError {
          #expect(error == .storeUnreachable, "\(error)")
          try end(store)
          if try soundVersion(store) == 1 {
            #expect(try TripStores.originalProblems(of: TripStores.original(configuration), trips: 200) == [])
          }
        }
        #expect(try TripStores.problems(of: TripStores.migrated(configuration), trips: 200) == [])
      }
    }

    @Test(
      "if a session ends before or after the tables are changed, everything stays unchanged",
      arguments: ["DELETE", "UPDATE"])
    func ended(_ change: String) throws {
      let store = try trips(20)
      let connection = try store.catalog().connection
      try connection.execute(
        "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS "
          + "$$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$; "
          + "CREATE TRIGGER die BEFORE \(change) ON \"Trip\" FOR EACH ROW EXECUTE FUNCTION die()")
      let before = try store.catalog().dump()
      let error = #expect(throws: SwiftDataError.self) { _ = try TripStores.migrated(store.configuration) }
      #expect(error == .storeUnreachable)
      try end(store)
      #expect(try soundVersion(store) == 1)
      #expect(try store.catalog().dump() == before)
      try connection.execute("DROP TRIGGER die ON \"Trip\"; DROP FUNCTION die()")
      #expect(try TripStores.problems(of: TripStores.migrated(store.configuration), trips: 20) == [])
      try store.checkLayout(like: TripsV3.models)
    }
  }
#endif
