import ConformanceSupport
import OpenSwiftData
import Testing

private enum One: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self] }
  @Model final class Trip {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

private enum Two: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self] }
  @Model final class Trip {
    var name: String
    var days: Int = 1
    init(_ name: String) { self.name = name }
  }
}

private enum Three: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self] }
  @Model final class Trip {
    var name: String
    var days: Int = 1
    var note: String?
    init(_ name: String) { self.name = name }
  }
}

/// An invalid version, in which two models have the same name.
private enum Odd: VersionedSchema {
  static let versionIdentifier = Schema.Version(4, 0, 0)
  static var models: [any PersistentModel.Type] { [One.Trip.self, Two.Trip.self] }
}

private enum ThreeAgain: VersionedSchema {
  static let versionIdentifier = Schema.Version(5, 0, 0)
  static var models: [any PersistentModel.Type] { Three.models }
}

private enum Unlisted: VersionedSchema {
  static let versionIdentifier = Schema.Version(6, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self] }
  @Model final class Trip {
    var other: Int = 0
    init() {}
  }
}

private struct Unwanted: Error {}

private let oneToTwo = MigrationStage.custom(
  fromVersion: One.self, toVersion: Two.self, willMigrate: nil,
  didMigrate: { context in
    for trip in try context.fetch(FetchDescriptor<Two.Trip>()) { trip.days = 2 }
  })

private enum Whole: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self, Three.self] }
  static var stages: [MigrationStage] {
    [
      oneToTwo,
      .custom(fromVersion: Two.self, toVersion: Three.self, willMigrate: { _ in throw Unwanted() }, didMigrate: nil),
    ]
  }
}

/// A plan whose first two versions are valid, and whose later versions and stages are not.
private enum OddLater: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] {
    [One.self, Two.self, Odd.self, Three.self, ThreeAgain.self]
  }
  static var stages: [MigrationStage] {
    [
      oneToTwo, .lightweight(fromVersion: Two.self, toVersion: Unlisted.self),
      .lightweight(fromVersion: Unlisted.self, toVersion: Three.self),
    ]
  }
}

private enum OddEarlier: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Odd.self, Two.self, Three.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: Odd.self, toVersion: Two.self),
      .lightweight(fromVersion: Two.self, toVersion: Three.self),
    ]
  }
}

/// A plan whose only stage leads back to the older version.
private enum Back: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Two.self, toVersion: One.self,
        willMigrate: { context in
          for trip in try context.fetch(FetchDescriptor<Two.Trip>()) { trip.name += " of \(trip.days)" }
        }, didMigrate: nil)
    ]
  }
}

private enum Detour: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self, Three.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: One.self, toVersion: Three.self),
      .lightweight(fromVersion: Two.self, toVersion: Three.self),
    ]
  }
}

@Suite("Plans with versions later than the container's schema")
struct OlderContainerTests {
  private func open(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)?, in store: MigratedStore
  ) throws -> ModelContext {
    ModelContext(try store.open(version.models, version: version.versionIdentifier, plan: plan))
  }

  @Test("a container of an older version opens in memory and in a file, and runs only the stages up to its version")
  func older() throws {
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(
      for: Schema(versionedSchema: One.self), migrationPlan: Whole.self, configurations: memory)
    let context = ModelContext(container)
    context.insert(One.Trip("Oslo"))
    try context.save()
    let store = try MigratedStore()
    try store.use(One.models, plan: Whole.self) { $0.insert(One.Trip("Oslo")) }
    let second = try open(Two.self, Whole.self, in: store)
    #expect(try second.fetch(FetchDescriptor<Two.Trip>()).map(\.days) == [2])
  }

  @Test("a store of an engine other than the default one is also migrated by the plan", .onSQLite)
  func otherConfiguration() throws {
    let store = try MigratedStore()
    try store.use(One.models) { $0.insert(One.Trip("Oslo")) }
    let container = try ModelContainer(
      for: Schema(versionedSchema: Two.self), migrationPlan: Whole.self,
      engines: [RemoteConfiguration(ModelConfiguration(url: store.url))])
    #expect(try ModelContext(container).fetch(FetchDescriptor<Two.Trip>()).map(\.days) == [2])
  }

  @Test("opening a store that is newer than the container's version throws a descriptive error and changes nothing")
  func newer() throws {
    let store = try MigratedStore()
    _ = try open(Three.self, nil, in: store)
    let known = try store.refusal(of: Two.models, version: Two.versionIdentifier, plan: Whole.self)
    #expect(known == .backwardMigration && "\(known)".contains("Three (3.0.0), which is newer than Two (2.0.0)"))
    let unknown = try MigratedStore()
    _ = try open(Unlisted.self, nil, in: unknown)
    let error = try unknown.refusal(of: Two.models, version: Two.versionIdentifier, plan: Whole.self)
    #expect(error == .backwardMigration && "\(error)".contains("6.0.0, newer than the plan"), "\(error)")
    let between = try MigratedStore()
    _ = try between.open(Unlisted.models, version: Schema.Version(2, 5, 0))
    let other = try between.refusal(of: Two.models, version: Two.versionIdentifier, plan: Whole.self)
    #expect(other == .backwardMigration && "\(other)".contains("2.5.0, newer than Two (2.0.0)"), "\(other)")
  }

  @Test("invalid or equal later versions, and missing or unrelated later stages, do not affect an older container")
  func oddLater() throws {
    let store = try MigratedStore()
    try store.use(One.models, plan: OddLater.self) { $0.insert(One.Trip("Oslo")) }
    let context = try open(Two.self, OddLater.self, in: store)
    #expect(try context.fetch(FetchDescriptor<Two.Trip>()).map(\.days) == [2])
    // A container of the plan's last version checks the complete plan, including its invalid version.
    let error = #expect(throws: SwiftDataError.invalidSchema) { _ = try open(Three.self, OddLater.self, in: store) }
    #expect("\(try #require(error))".contains("Trip"))
  }

  @Test("an invalid version before the container's version makes opening throw")
  func oddEarlier() throws {
    let store = try MigratedStore()
    #expect(throws: SwiftDataError.invalidSchema) { _ = try open(Three.self, OddEarlier.self, in: store) }
  }

  @Test("a plan with only a backward stage opens stores of both versions, and migrates from the newer to the older one")
  func back() throws {
    let store = try MigratedStore()
    let newer = try open(Two.self, Back.self, in: store)
    newer.insert(Two.Trip("Oslo"))
    try newer.save()
    let older = try open(One.self, Back.self, in: store)
    #expect(try older.fetch(FetchDescriptor<One.Trip>()).map(\.name) == ["Oslo of 1"])
    // The plan has no forward stage, which only a store of the older version would need.
    let error = try store.refusal(of: Two.models, version: Two.versionIdentifier, plan: Back.self)
    #expect(error == .invalidMigrationPlan)
    #expect("\(error)".contains("no stages of Back lead from there to Two (2.0.0)"), "\(error)")
  }

  @Test("a stage that leads past the container's version does not run")
  func detour() throws {
    let store = try MigratedStore()
    try store.use(One.models) { $0.insert(One.Trip("Oslo")) }
    let error = try store.refusal(of: Two.models, version: Two.versionIdentifier, plan: Detour.self)
    #expect(error == .invalidMigrationPlan && "\(error)".contains("no stages of Detour lead"))
    _ = try open(Two.self, Detour.self, in: MigratedStore())
    #expect(try open(Three.self, Detour.self, in: store).fetchCount(FetchDescriptor<Three.Trip>()) == 1)
  }

  @Test("a plan can be printed for a version before its last one")
  func printed() throws {
    let store = try MigratedStore()
    try store.use(One.models) { $0.insert(One.Trip("Oslo")) }
    let plan = try store.plan(to: Schema(versionedSchema: Two.self), Whole.self)
    #expect(plan.stages.map(\.name) == ["One (1.0.0) to Two (2.0.0)"])
  }
}

// MARK: Parts of versions

private enum First: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Red.self, Blue.self] }
  @Model final class Red {
    var name: String = ""
    init() {}
  }
  @Model final class Blue {
    var size: Int = 0
    init() {}
  }
}

private enum Second: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Red.self, Blue.self] }
  @Model final class Red {
    var name: String = ""
    var shade: Int = 0
    init() {}
  }
  @Model final class Blue {
    var size: Int = 0
    init() {}
  }
}

/// In this version, `Red` is the same as in the first version.
private enum Third: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Red.self, Blue.self] }
  @Model final class Red {
    var name: String = ""
    init() {}
  }
  @Model final class Blue {
    var size: Int = 0
    var twice: Int = 0
    init() {}
  }
}

private enum PartPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [First.self, Second.self, Third.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: First.self, toVersion: Second.self),
      .lightweight(fromVersion: Second.self, toVersion: Third.self),
    ]
  }
}

@Suite("Containers with several stores whose parts of the schema are equal in several versions")
struct AlikePartTests {
  private func container(
    _ version: any VersionedSchema.Type, _ red: any PersistentModel.Type, _ blue: any PersistentModel.Type,
    in store: MigratedStore
  ) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: PartPlan.self,
      configurations: [
        ModelConfiguration("red", schema: Schema([red]), url: store.url),
        ModelConfiguration("blue", schema: Schema([blue]), url: store.folder.appending(path: "blue.store")),
      ])
  }

  @Test(
    "each store is migrated to the container's version, even if its models are equal in another version",
    .onSQLite)
  func alike() throws {
    let store = try MigratedStore()
    _ = try container(Second.self, Second.Red.self, Second.Blue.self, in: store)
    _ = try container(Third.self, Third.Red.self, Third.Blue.self, in: store)
    #expect(try RawDatabase(store.url.path).problems() == [])
    let other = try MigratedStore()
    _ = try container(Second.self, Second.Red.self, Second.Blue.self, in: other)
    // The models of the red store are the same in the first and the third version. Nevertheless the container must not
    // treat the third version as the first and run the stages that lead to later versions.
    #expect(throws: SwiftDataError.backwardMigration) {
      _ = try container(First.self, First.Red.self, First.Blue.self, in: other)
    }
  }
}
