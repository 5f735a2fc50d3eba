#if PostgreSQL
  import Foundation
  import MigrationWorkload
  import PersistenceCore
  import PersistenceExtensions
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import Testing

  private enum Before: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Errand.self, Helper.self] }

    @Model final class Errand {
      var title: String
      var minutes: String
      var weight: Double
      @Relationship(inverse: nil) var helper: Helper?
      init(_ title: String, _ minutes: String) {
        (self.title, self.minutes, weight) = (title, minutes, .greatestFiniteMagnitude)
      }
    }
    @Model final class Helper {
      @Attribute(.unique) var name: String
      init(_ name: String) { self.name = name }
    }
  }

  private enum After: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Errand.self, Helper.self] }

    @Model final class Errand {
      @Attribute(.unique) var title: String
      var minutes: Int
      var weight: Double
      @Relationship(inverse: nil) var helper: Helper?
      init(_ title: String, _ minutes: Int) { (self.title, self.minutes, weight) = (title, minutes, 0) }
    }
    @Model final class Helper {
      @Attribute(.unique) var name: String
      init(_ name: String) { self.name = name }
    }
  }

  /// The code that the next stage runs. Only one test at a time sets it.
  private let work = Lock<(@Sendable (ModelContext, ModelContext) throws -> Void)?>(nil)

  private enum Transforming: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Before.self, After.self] }
    static var stages: [MigrationStage] {
      [
        .transform(fromVersion: Before.self, toVersion: After.self) { old, new in
          for errand in try old.fetch(FetchDescriptor<Before.Errand>()) {
            let after = try #require(new.model(for: errand.persistentModelID) as? After.Errand)
            after.minutes = Int(errand.minutes) ?? -1
          }
          try new.save()
          try work.withLock { $0 }?(old, new)
        }
      ]
    }
  }

  private enum Working: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self, TripsV3.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: TripsV1.self, toVersion: TripsV2.self,
          willMigrate: { try work.withLock { $0 }?($0, $0) }, didMigrate: nil),
        .lightweight(fromVersion: TripsV2.self, toVersion: TripsV3.self),
      ]
    }
  }

  private enum Whole: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Gauge.self] }
    @Model final class Gauge {
      var level: Int
      init(_ level: Int) { self.level = level }
    }
  }

  private enum Halved: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Gauge.self] }
    @Model final class Gauge {
      var level: Double
      init(_ level: Double) { self.level = level }
    }
  }

  private enum Halving: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Whole.self, Halved.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: Whole.self, toVersion: Halved.self,
          willMigrate: { context in
            for least in 0...2 {
              let found = try context.fetch(FetchDescriptor<Whole.Gauge>(predicate: #Predicate { $0.level > least }))
              guard found.count == 3 - least else { throw Broken() }
            }
          },
          didMigrate: { context in
            for _ in 0..<3 {
              let found = try context.fetch(FetchDescriptor<Halved.Gauge>(predicate: #Predicate { $0.level > 0 }))
              guard found.map(\.level).sorted() == [1, 2, 3] else { throw Broken() }
            }
          })
      ]
    }
  }

  private struct Broken: Error {}

  @Suite("Migrations in several stages on a server", .serialized)
  struct PostgresStagedMigrationTests {
    private func errands() throws -> ServerStore {
      let store = try ServerStore()
      let context = ModelContext(try store.open(Before.self))
      let helper = Before.Helper("Ann")
      for (title, minutes) in [("walk", "12"), ("run", "?")] {
        let errand = Before.Errand(title, minutes)
        context.insert(errand)
        errand.helper = helper
      }
      try context.save()
      return store
    }

    private func trips(_ count: Int) throws -> ServerStore {
      let store = try ServerStore()
      try TripStores.fill(TripStores.original(store.configuration), trips: count)
      return store
    }

    @Test("a plan migrates three versions of trips: duplicates are removed, names become unique, dates are renamed")
    func threeVersions() throws {
      let store = try trips(20)
      #expect(try TripStores.problems(of: TripStores.migrated(store.configuration), trips: 20) == [])
      try store.checkLayout(like: TripsV3.models)
      // Opening the store a second time migrates nothing.
      #expect(try TripStores.problems(of: TripStores.migrated(store.configuration), trips: 20) == [])
      #expect(
        try ModelContainer.migrationPlan(
          from: store.configuration, to: Schema(versionedSchema: TripsV3.self), migrationPlan: TripsPlan.self
        ).stages.isEmpty)
    }

    @Test(
      "a stage's code reads old and new rows, saves and rolls back in one transaction, and new rows get new keys")
    func transformed() throws {
      let store = try errands()
      work.withLock {
        $0 = { old, new in
          #expect(try old.fetchCount(FetchDescriptor<Before.Errand>()) == 2)
          // A failed inner transaction is rolled back alone. The keys of its rows are not used again.
          #expect(throws: Broken.self) {
            try new.transaction {
              new.insert(After.Errand("undone", 0))
              try new.save()
              throw Broken()
            }
          }
          new.rollback()
          new.insert(After.Errand("made", 5))
          try new.save()
          // The server cannot compute an infinite sum. So the sum is computed in memory, and the transaction continues.
          #expect(try new.sum(of: \After.Errand.weight) == .infinity)
          #expect(throws: SwiftDataError.storeReadOnly) {
            old.insert(Before.Helper("none"))
            try old.save()
          }
          old.rollback()
        }
      }
      defer { work.withLock { $0 = nil } }
      let context = ModelContext(try store.open(After.self, plan: Transforming.self))
      let errands = try context.fetch(FetchDescriptor<After.Errand>(sortBy: [SortDescriptor(\.title)]))
      #expect(errands.map(\.title) == ["made", "run", "walk"] && errands.map(\.minutes) == [5, -1, 12])
      #expect(errands.map { $0.helper?.name } == [nil, "Ann", "Ann"])
      for index in 0..<100 { context.insert(After.Errand("new \(index)", index)) }
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<After.Errand>()) == 103)
      try store.checkLayout(like: After.models)
    }

    @Test(
      "a stage that throws, before or after the tables change, leaves everything unchanged", arguments: [true, false])
    func failing(_ isEarly: Bool) throws {
      work.withLock {
        $0 = { context, _ in
          if isEarly { for trip in try context.fetch(FetchDescriptor<TripsV1.Trip>()) { trip.name += "!" } }
          try context.save()
          throw Broken()
        }
      }
      defer { work.withLock { $0 = nil } }
      let error: SwiftDataError
      if isEarly {
        let store = try trips(4)
        error = try store.refusal(of: TripsV3.models, version: TripsV3.versionIdentifier, plan: Working.self)
        #expect(try TripStores.originalProblems(of: TripStores.original(store.configuration), trips: 4) == [])
      } else {
        let store = try errands()
        error = try store.refusal(of: After.models, version: After.versionIdentifier, plan: Transforming.self)
      }
      #expect(error == .migrationFailed && error.underlyingError is Broken)
    }

    @Test("a failed statement ends the migration with an error and no changes, even if the stage's code ignores it")
    func swallowed() throws {
      let store = try trips(4)
      work.withLock {
        $0 = { context, _ in
          _ = try context.fetch(FetchDescriptor<TripsV1.Trip>())
          let trip = TripsV1.Trip(name: "a", destination: "b", start: .now, end: .now)
          context.insert(trip)
          // A trigger rejects the row, so the save fails. The stage ignores the error.
          try? context.save()
        }
      }
      defer { work.withLock { $0 = nil } }
      try store.catalog().connection.execute(
        "SET search_path TO \"\(store.configuration.namespace)\"; CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql "
          + "AS $$ BEGIN IF NEW.name = 'a' THEN RAISE EXCEPTION 'refused'; END IF; RETURN NEW; END $$; "
          + "CREATE TRIGGER refuse BEFORE INSERT ON \"Trip\" FOR EACH ROW EXECUTE FUNCTION refuse()")
      let error = try store.refusal(of: TripsV3.models, version: TripsV3.versionIdentifier, plan: Working.self)
      #expect("\(error)".contains("refused"))
    }

    @Test("a dry run lists PostgreSQL's statements, including those of stages with code, and writes nothing")
    func dryRun() throws {
      let store = try trips(4)
      let before = try store.catalog().dump()
      let sequence = try store.catalog().rows("SELECT entity, next FROM _osd_sequence ORDER BY 1")
      let plan = try ModelContainer.migrationPlan(
        from: store.configuration, to: Schema(versionedSchema: TripsV3.self), migrationPlan: TripsPlan.self)
      #expect(plan.stages.map(\.kind) == ["custom", "lightweight"] && plan.isPossible)
      let namespace = store.configuration.namespace
      let statements = plan.stages.flatMap(\.sql)
      for part in [
        "CREATE UNIQUE INDEX \"_osd_unique_Trip_name\" ON \"\(namespace)\".\"Trip\"",
        "ALTER TABLE \"\(namespace)\".\"Trip\" RENAME COLUMN \"start_date\" TO \"startDate\"",
        "ALTER TABLE \"\(namespace)\".\"Trip\" ADD COLUMN \"remark\" text COLLATE \"C\" NOT NULL DEFAULT 'none'",
        "ALTER TABLE \"\(namespace)\".\"Trip\" ALTER COLUMN \"remark\" DROP DEFAULT",
      ] { #expect(statements.contains { $0.hasPrefix(part) }, "\(part)") }
      let kept = try store.errandsPlan()
      #expect(
        kept.contains { $0.contains("RENAME TO \"_osd_old_Errand\"") } && kept.contains { $0.contains("DROP TABLE") })
      #expect(try store.catalog().dump() == before)
      #expect(try store.catalog().rows("SELECT entity, next FROM _osd_sequence ORDER BY 1") == sequence)
      let none = try ServerStore()
      #expect(throws: SwiftDataError.storeUnreachable) {
        try ModelContainer.migrationPlan(from: none.configuration, to: Schema(versionedSchema: TripsV3.self))
      }
      #expect(try none.catalog().tables == [])
    }

    @Test("a stage's code reads rows before and after the type of a column changes, by statements with the same text")
    func sameWords() throws {
      let store = try ServerStore()
      let context = ModelContext(try store.open(Whole.self))
      for number in 1...3 { context.insert(Whole.Gauge(number)) }
      try context.save()
      let after = ModelContext(try store.open(Halved.self, plan: Halving.self))
      #expect(
        try after.fetch(FetchDescriptor<Halved.Gauge>(sortBy: [SortDescriptor(\.level)])).map(\.level) == [1, 2, 3])
    }

    @Test("the progress of a migration goes from 0 to 1, and a cancelled migration is rolled back")
    func progress() throws {
      let store = try trips(40)
      let cancelled = ModelContainer.MigrationProgress()
      cancelled.progress.cancel()
      store.configuration.migrationProgress = cancelled
      let error = #expect(throws: SwiftDataError.self) { _ = try TripStores.migrated(store.configuration) }
      #expect(error == .migrationFailed && "\(error.map { "\($0)" } ?? "")".contains("cancelled"))
      #expect(try TripStores.originalProblems(of: TripStores.original(store.configuration), trips: 40) == [])
      let progress = ModelContainer.MigrationProgress()
      store.configuration.migrationProgress = progress
      _ = try TripStores.migrated(store.configuration)
      #expect(progress.progress.fractionCompleted == 1)
    }
  }

  extension ServerStore {
    /// The statements of a migration stage whose code reads old and new rows.
    fileprivate func errandsPlan() throws -> [String] {
      let store = try ServerStore(cluster)
      _ = try store.open(Before.self)
      return try store.statements(to: After.models, version: After.versionIdentifier, plan: Transforming.self)
    }
  }
#endif
