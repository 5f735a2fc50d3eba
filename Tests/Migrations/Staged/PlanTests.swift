import ConformanceSupport
import MigrationWorkload
import OpenSwiftData
import Testing

// Three versions of a small program. Only the second version has the model `Note`.

private enum One: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Task.self, Owner.self] }
  @Model final class Task {
    var title: String
    var minutes: String
    var owner: Owner?
    init(_ title: String, _ minutes: String) { (self.title, self.minutes) = (title, minutes) }
  }
  @Model final class Owner {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Task.owner) var tasks: [Task] = []
    init(_ name: String) { self.name = name }
  }
}

private enum Two: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Task.self, Owner.self, Note.self] }
  @Model final class Task {
    @Attribute(.unique) var title: String
    var minutes: Int
    var owner: Owner?
    init(_ title: String, _ minutes: Int) { (self.title, self.minutes) = (title, minutes) }
  }
  @Model final class Owner {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Task.owner) var tasks: [Task] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }
}

private enum Three: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Task.self, Owner.self] }
  @Model final class Task {
    @Attribute(.unique) var title: String
    @Attribute(originalName: "minutes") var duration: Int
    var remark: String?
    var owner: Owner?
    init(_ title: String, _ duration: Int) { (self.title, self.duration) = (title, duration) }
  }
  @Model final class Owner {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Task.owner) var tasks: [Task] = []
    init(_ name: String) { self.name = name }
  }
}

private typealias Task = Three.Task

private struct Broken: Error, Equatable {}

private let oneToTwo = MigrationStage.transform(fromVersion: One.self, toVersion: Two.self) { old, new in
  let tasks = try old.fetch(FetchDescriptor<One.Task>())
  for task in tasks {
    guard let other = new.model(for: task.persistentModelID) as? Two.Task else { throw Broken() }
    other.minutes = Int(task.minutes) ?? -1
    other.title = task.title
  }
  new.insert(Two.Note("\(tasks.count) tasks"))
}

private let twoToThree = MigrationStage.custom(
  fromVersion: Two.self, toVersion: Three.self,
  willMigrate: { context in
    // The context of a stage supports everything that other contexts support: predicates, relationships and cascades.
    let notes = try context.fetch(FetchDescriptor<Two.Note>(predicate: #Predicate { $0.text.contains("tasks") }))
    let owner = Two.Owner(notes[0].text)
    context.insert(owner)
    owner.tasks = [Two.Task("made on the way", 7)]
    try context.delete(model: Two.Owner.self, where: #Predicate { $0.name == "leaving" })
  },
  didMigrate: { context in
    for task in try context.fetch(FetchDescriptor<Three.Task>()) { task.remark = "for \(task.owner?.name ?? "nobody")" }
    // The library saves the unsaved changes after the stage.
  })

private enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self, Three.self] }
  static var stages: [MigrationStage] { [oneToTwo, twoToThree] }
}

private enum BothWays: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Two.self, Three.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: Two.self, toVersion: Three.self),
      .transform(fromVersion: Three.self, toVersion: Two.self) { old, new in
        for task in try old.fetch(FetchDescriptor<Three.Task>()) {
          (new.model(for: task.persistentModelID) as? Two.Task)?.minutes = task.duration
          new.insert(Two.Note(task.remark ?? ""))
        }
      },
    ]
  }
}

private enum Failing: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self, Three.self] }
  static var stages: [MigrationStage] {
    [
      oneToTwo,
      .custom(
        fromVersion: Two.self, toVersion: Three.self,
        willMigrate: { context in
          try context.delete(model: Two.Owner.self)
          try context.save()
        }, didMigrate: { _ in throw Broken() }),
    ]
  }
}

private enum Writing: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self, Three.self] }
  static var stages: [MigrationStage] {
    [
      .transform(fromVersion: One.self, toVersion: Two.self) { old, _ in
        try old.fetch(FetchDescriptor<One.Task>()).first?.title = "changed"
        try old.save()
      }, twoToThree,
    ]
  }
}

private let three = Three.models

@Suite("Migration plans")
struct PlanTests {
  private func store(_ tasks: [(String, String)] = [("walk", "12"), ("run", "x")]) throws -> MigratedStore {
    let store = try MigratedStore()
    try store.use(One.models) { context in
      let owners = (One.Owner("Ida"), One.Owner("leaving"))
      context.insert(owners.0)
      context.insert(owners.1)
      owners.0.tasks = tasks.map { One.Task($0.0, $0.1) }
      owners.1.tasks = [One.Task("goes", "1")]
    }
    return store
  }

  private func open(_ store: MigratedStore, _ plan: any SchemaMigrationPlan.Type) throws -> ModelContainer {
    try store.open(three, version: Schema.Version(3, 0, 0), plan: plan)
  }

  @Test("a store without a recorded version runs all stages, and each stage has the complete schema of its version")
  func stages() throws {
    let store = try store()
    let context = ModelContext(try open(store, Plan.self))
    let tasks = try context.fetch(FetchDescriptor<Task>(sortBy: [SortDescriptor(\.title)]))
    #expect(tasks.map(\.title) == ["made on the way", "run", "walk"])
    #expect(tasks.map(\.duration) == [7, -1, 12])
    #expect(tasks.map(\.remark) == ["for 3 tasks", "for Ida", "for Ida"])
    #expect(try store.contents().tables.filter { $0.contains("Note") || $0.contains("_old_") } == [])
    let fresh = try MigratedStore()
    _ = try open(fresh, Plan.self)
    let layouts = (try store.contents().layout(), try fresh.contents().layout())
    #expect(layouts.0 == layouts.1)
    // This container opens the store without a migration, so the failing stage does not run.
    #expect(try ModelContext(try open(store, Failing.self)).fetchCount(FetchDescriptor<Task>()) == 3)
  }

  @Test("if a stage throws, the store stays unchanged, and the migration error contains the stage's error")
  func failure() throws {
    let store = try store()
    let error = try store.refusal(of: three, version: Schema.Version(3, 0, 0), plan: Failing.self)
    #expect(error == .migrationFailed && error.underlyingError is Broken)
    #expect("\(error)".contains("from Two (2.0.0) to Three (3.0.0)"))
  }

  @Test("a stage with access to both versions cannot change objects of the old version")
  func readOnly() throws {
    let error = try store().refusal(of: three, version: Schema.Version(3, 0, 0), plan: Writing.self)
    #expect(error == .storeReadOnly)
  }

  @Test("if values that become unique have duplicates, the migration throws and lists the duplicates")
  func duplicates() throws {
    let error = try store([("walk", "1"), ("walk", "2")])
      .refusal(of: three, version: Schema.Version(3, 0, 0), plan: Plan.self)
    #expect(error == .modelValidationFailure && "\(error)".contains("\"walk\" (2 times)"))
  }

  @Test("opening a store with an older version runs the plan's backward stage")
  func downgrade() throws {
    let store = try MigratedStore()
    let context = ModelContext(try open(store, BothWays.self))
    context.insert(Three.Task("walk", 5))
    try context.save()
    let older = ModelContext(try store.open(Two.models, version: Schema.Version(2, 0, 0), plan: BothWays.self))
    #expect(try older.fetch(FetchDescriptor<Two.Task>()).map(\.minutes) == [5])
    #expect(try older.fetchCount(FetchDescriptor<Two.Note>()) == 1)
    // The other plan has no backward stage, so opening the older version throws.
    let newer = try MigratedStore()
    _ = try open(newer, Plan.self)
    let error = try newer.refusal(of: Two.models, version: Schema.Version(2, 0, 0), plan: Plan.self)
    #expect(error == .backwardMigration && "\(error)".contains("no stage leads back"))
  }

  @Test("a store in memory gets the newest version, and an invalid plan throws for it too")
  func memory() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(
      for: Schema(versionedSchema: Three.self), migrationPlan: Plan.self, configurations: configuration)
    #expect(container.migrationPlan == Plan.self)
    #expect(throws: SwiftDataError.invalidMigrationPlan) {
      _ = try ModelContainer(
        for: Schema(versionedSchema: Three.self), migrationPlan: Gap.self, configurations: configuration)
    }
  }

  @Test("every initialiser of a container accepts a migration plan", .onSQLite)
  func initialisers() throws {
    let store = try store()
    let context = ModelContext(
      try ModelContainer(for: Task.self, migrationPlan: Plan.self, configurations: ModelConfiguration(url: store.url)))
    #expect(try context.fetchCount(FetchDescriptor<Task>()) == 3)
    _ = try ModelContainer(
      for: Schema(three), migrationPlan: Plan.self, configurations: ModelConfiguration(url: store.url))
    _ = try ModelContainer(
      for: Schema(three), migrationPlan: Plan.self, configurations: [ModelConfiguration(url: store.url)])
  }
}

// MARK: Invalid plans

private enum OneAgain: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 5, 0)
  static var models: [any PersistentModel.Type] { One.models }
}

private enum Alike: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, OneAgain.self, Two.self] }
  static var stages: [MigrationStage] { [] }
}

private enum Gap: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self, Three.self] }
  static var stages: [MigrationStage] { [oneToTwo] }
}

private enum Short: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self] }
  static var stages: [MigrationStage] { [oneToTwo] }
}

private enum Late: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Two.self, Three.self] }
  static var stages: [MigrationStage] { [twoToThree] }
}

private enum Lazy: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self, Three.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: One.self, toVersion: Two.self), twoToThree] }
}

@Suite("Errors of migration plans")
struct PlanErrorTests {
  private func error(
    _ plan: any SchemaMigrationPlan.Type, store: MigratedStore? = nil, _ version: any VersionedSchema.Type = Three.self
  ) throws -> String {
    let store = try store ?? MigratedStore()
    let error = #expect(throws: SwiftDataError.self) {
      _ = try store.open(version.models, version: version.versionIdentifier, plan: plan)
    }
    return "\(try #require(error))"
  }

  @Test("two equal versions, a missing stage, or a plan that ends at another schema throws, even for a new store")
  func contradictions() throws {
    let alike = try error(Alike.self, Two.self)
    #expect(alike.contains("One (1.0.0) and OneAgain (1.5.0) are alike"))
    #expect(alike.contains("No stage leads from One (1.0.0) to OneAgain (1.5.0)"))
    let gap = try error(Gap.self)
    #expect(gap.contains("No stage leads from Two (2.0.0) to Three (3.0.0)") && gap.contains("invalidMigrationPlan"))
    let short = try error(Short.self)
    #expect(short.contains("ends at Two (2.0.0)") && short.contains("Task.minutes was renamed to duration"))
  }

  @Test("if the store's version is not in the plan, the error calls the version unknown or newer and lists differences")
  func unknown() throws {
    let old = try MigratedStore()
    _ = try old.open(One.models)
    let unknown = try error(Late.self, store: old)
    #expect(unknown.contains("unknownSchema") && unknown.contains("nearest, Two (2.0.0)"))
    #expect(unknown.contains("The type of Task.minutes changed from Int to String"))
    let new = try MigratedStore()
    _ = try new.open(Three.models, version: Schema.Version(9, 0, 0))
    let newer = try error(Short.self, store: new, Two.self)
    #expect(newer.contains("backwardMigration") && newer.contains("9.0.0, newer than the plan"))
  }

  @Test("if a lightweight stage would need code, the migration throws an error with the reason and a remedy")
  func notLightweight() throws {
    let store = try MigratedStore()
    try store.use(One.models) { $0.insert(One.Task("walk", "1")) }
    let text = try error(Lazy.self, store: store)
    #expect(text.contains("from One (1.0.0) to Two (2.0.0)") && text.contains(".transform stage"))
  }
}

@Suite("Printed plans, and progress")
struct ReadingTests {
  @Test("a printed plan contains the steps and the SQL statements, and printing does not change the file", .onSQLite)
  func printing() throws {
    let plan = try ModelContainer.migrationPlan(from: TripsV2.self, to: TripsV3.self)
    let text = "\(plan)"
    #expect(plan.isPossible && plan.stages.count == 1 && plan.stages[0].kind == "automatic")
    #expect(text.contains("Trip.start_date was renamed to startDate."))
    #expect(text.contains("ALTER TABLE \"Trip\" RENAME COLUMN \"start_date\" TO \"startDate\";"))
    #expect(text.contains("ADD COLUMN \"remark\" TEXT NOT NULL DEFAULT 'none'"))
    let store = try MigratedStore()
    try TripStores.make(at: store.url, trips: 4)
    let before = try Data(contentsOf: store.url)
    let staged = try ModelContainer.migrationPlan(
      from: ModelConfiguration(url: store.url), to: Schema(versionedSchema: TripsV3.self), migrationPlan: TripsPlan.self
    )
    #expect(staged.stages.map(\.kind) == ["custom", "lightweight"])
    #expect("\(staged)".contains("CREATE UNIQUE INDEX"))
    #expect(try Data(contentsOf: store.url) == before)
    #expect(throws: SwiftDataError.storeUnreachable) {
      try ModelContainer.migrationPlan(
        from: ModelConfiguration(url: store.folder.appending(path: "none")), to: Schema(versionedSchema: TripsV3.self))
    }
    let impossible = try ModelContainer.migrationPlan(from: One.self, to: Two.self)
    #expect(!impossible.isPossible && impossible.stages[0].obstacles.map(\.property) == ["minutes"])
  }

  @Test("the hash of a version changes only when the version is edited")
  func hashes() throws {
    #expect(try TripsV1.contentHash() != TripsV2.contentHash())
    #expect(try OneAgain.contentHash() == One.contentHash())
    // Programs can compare the hashes of their own versions in the same way, in their tests. The hash changes when the
    // version is edited, or when the library encodes schemas differently.
    let hash = try TripsV1.contentHash()
    #expect(hash == "2bcbaa2cd26b083566d9205163373192", "\(hash)")
  }

  @Test(
    "the progress goes from 0 to 1, and a migration whose progress was cancelled is rolled back", .onSQLite)
  func progress() async throws {
    let store = try MigratedStore()
    try TripStores.make(at: store.url, trips: 300)
    let cancelled = ModelContainer.MigrationProgress()
    cancelled.progress.cancel()
    let error = #expect(throws: SwiftDataError.self) {
      _ = try TripStores.migrated(at: store.url) { $0.migrationProgress = cancelled }
    }
    #expect(error == .migrationFailed && "\(error.map { "\($0)" } ?? "")".contains("cancelled"))
    #expect(try TripStores.originalProblems(at: store.url, trips: 300) == [])
    let progress = ModelContainer.MigrationProgress()
    let updates = progress.updates
    _ = try TripStores.migrated(at: store.url) { $0.migrationProgress = progress }
    var all: [ModelContainer.MigrationProgress.Update] = []
    for await update in updates { all.append(update) }
    #expect(all.first?.fraction == 0 && all.last?.fraction == 1)
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.fraction <= $1.fraction && $0.rows <= $1.rows })
    #expect(Set(all.map(\.stageNumber)) == [1, 2] && (all.last?.rows ?? 0) > 0)
    #expect(progress.progress.isFinished)
  }

  @Test("a migration reports its progress to the current `Progress` as a child", .onSQLite)
  func currentProgress() throws {
    let store = try MigratedStore()
    try TripStores.make(at: store.url, trips: 10)
    let whole = Progress(totalUnitCount: 4)
    whole.becomeCurrent(withPendingUnitCount: 3)
    _ = try TripStores.migrated(at: store.url)
    whole.resignCurrent()
    #expect(whole.completedUnitCount == 3)
  }
}
