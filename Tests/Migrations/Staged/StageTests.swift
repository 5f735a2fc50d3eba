import PersistenceCore
import SwiftData
import Testing

private enum One: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }
  @Model final class Trip {
    var name: String?
    var first: Stop?
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    init(_ name: String?) { self.name = name }
  }
  @Model final class Stop {
    var place: String
    var trip: Trip?
    init(_ place: String) { self.place = place }
  }
}

private enum Two: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }
  @Model final class Trip {
    var name: String
    @Relationship(inverse: nil) var first: Stop
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    init(_ name: String, _ first: Stop) { (self.name, self.first) = (name, first) }
  }
  @Model final class Stop {
    var place: String
    var trip: Trip?
    init(_ place: String) { self.place = place }
  }
}

private enum Three: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }
  @Model final class Trip {
    @Attribute(originalName: "name") var title: String
    @Relationship(inverse: nil) var first: Stop
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
    init(_ title: String, _ first: Stop) { (self.title, self.first) = (title, first) }
  }
  @Model final class Stop {
    var place: String
    var trip: Trip?
    init(_ place: String) { self.place = place }
  }
}

/// A stage whose `willMigrate` sets the properties that become required.
private let prepared = MigrationStage.custom(
  fromVersion: One.self, toVersion: Two.self,
  willMigrate: { context in
    for trip in try context.fetch(FetchDescriptor<One.Trip>()) {
      if trip.name == nil { trip.name = "unnamed" }
      if trip.first == nil { trip.first = One.Stop("start") }
    }
  }, didMigrate: nil)

private enum Prepared: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self] }
  static var stages: [MigrationStage] { [prepared] }
}

private enum Forgetful: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: One.self, toVersion: Two.self,
        willMigrate: { context in
          for trip in try context.fetch(FetchDescriptor<One.Trip>()) where trip.first == nil {
            trip.first = One.Stop("start")
          }
        }, didMigrate: nil)
    ]
  }
}

private enum WithoutFirst: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: One.self, toVersion: Two.self,
        willMigrate: { context in
          for trip in try context.fetch(FetchDescriptor<One.Trip>()) where trip.name == nil { trip.name = "" }
        }, didMigrate: nil)
    ]
  }
}

/// A plan with a stage that leads from the first to the third version and skips the second one.
private enum Shortcut: SchemaMigrationPlan {
  static let taken = Lock<[String]>([])
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self, Three.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: One.self, toVersion: Two.self, willMigrate: { _ in taken.withLock { $0.append("one by one") } },
        didMigrate: nil),
      .lightweight(fromVersion: Two.self, toVersion: Three.self),
      .transform(fromVersion: One.self, toVersion: Three.self) { old, new in
        taken.withLock { $0.append("at once") }
        for trip in try old.fetch(FetchDescriptor<One.Trip>()) {
          guard let other = new.model(for: trip.persistentModelID) as? Three.Trip else { continue }
          other.title = trip.name ?? "none"
          other.first = Three.Stop("start of \(other.title)")
        }
      },
    ]
  }
}

/// A plan whose `didMigrate` uses predicates, relationships, insertions, deletions and saves.
private enum Full: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self, Three.self] }
  static var stages: [MigrationStage] {
    [
      prepared,
      .custom(
        fromVersion: Two.self, toVersion: Three.self, willMigrate: nil,
        didMigrate: { context in
          let unnamed = try context.fetch(FetchDescriptor<Three.Trip>(predicate: #Predicate { $0.title == "unnamed" }))
          let trip = Three.Trip("made", Three.Stop("there"))
          context.insert(trip)
          trip.stops = unnamed.flatMap(\.stops)
          try context.save()
          for other in unnamed { context.delete(other) }
          try context.save()
          let counted = try context.fetchCount(
            FetchDescriptor<Three.Stop>(predicate: #Predicate { $0.trip?.title == "made" }))
          trip.title += " of \(counted)"
        }),
    ]
  }
}

private enum Mixed: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: One.self, toVersion: Two.self,
        willMigrate: { context in _ = try context.fetch(FetchDescriptor<Two.Trip>()) }, didMigrate: nil)
    ]
  }
}

@Suite("Stages of migration plans", .serialized)
struct StageTests {
  private func store() throws -> MigratedStore {
    let store = try MigratedStore()
    try store.use(One.models) { context in
      let (named, unnamed) = (One.Trip("walk"), One.Trip(nil))
      for trip in [named, unnamed] { context.insert(trip) }
      named.first = One.Stop("home")
      unnamed.stops = [One.Stop("a"), One.Stop("b")]
    }
    return store
  }

  @Test("a property that becomes required needs no default if willMigrate sets it in every row")
  func prepares() throws {
    let store = try store()
    try store.migrate(to: Two.models, plan: Prepared.self) { context in
      let trips = try context.fetch(FetchDescriptor<Two.Trip>(sortBy: [SortDescriptor(\.name)]))
      #expect(trips.map(\.name) == ["unnamed", "walk"] && trips.map(\.first.place) == ["start", "home"])
      #expect(trips[0].stops.map(\.place) == ["a", "b"])
    }
  }

  @Test("the migration throws if willMigrate leaves a required property without a value, or if there is no stage")
  func forgets() throws {
    let store = try store()
    let error = try store.refusal(of: Two.models, plan: Forgetful.self)
    #expect(error == .modelValidationFailure)
    #expect("\(error)".contains("Trip.name became required") && "\(error)".contains("row 2"), "\(error)")
    let other = try store.refusal(of: Two.models, plan: WithoutFirst.self)
    #expect("\(other)".contains("Trip.first") && other == .modelValidationFailure, "\(other)")
    #expect(try store.refusal(of: Two.models) == .unknownSchema)
  }

  @Test("a stage that skips versions replaces the stages between these versions")
  func shortcut() throws {
    let store = try store()
    try store.migrate(to: Three.models, plan: Shortcut.self) { context in
      let trips = try context.fetch(FetchDescriptor<Three.Trip>(sortBy: [SortDescriptor(\.title)]))
      #expect(trips.map(\.title) == ["none", "walk"] && trips[0].first.place == "start of none")
    }
    #expect(Shortcut.taken.withLock { $0 } == ["at once"])
  }

  @Test("didMigrate can use predicates, relationships, insertions, cascading deletions and saves")
  func full() throws {
    let store = try store()
    try store.migrate(to: Three.models, plan: Full.self) { context in
      let trips = try context.fetch(FetchDescriptor<Three.Trip>(sortBy: [SortDescriptor(\.title)]))
      #expect(trips.map(\.title) == ["made of 2", "walk"] && trips[0].stops.map(\.place) == ["a", "b"])
    }
  }

  @Test("a stage that uses a model of another version throws an error that names the model")
  func mixed() throws {
    let error = try store().refusal(of: Two.models, plan: Mixed.self)
    #expect(error == .unknownSchema && "\(error)".contains("Trip is not in the schema"), "\(error)")
  }

  @Test("a cancelled migration is rolled back, and leaves no backup")
  func cancelled() throws {
    let store = try store()
    let progress = ModelContainer.MigrationProgress()
    CancellingPlan.progress.withLock { $0 = progress }
    let error = try store.refusal(of: Two.models, plan: CancellingPlan.self) {
      $0.migrationProgress = progress
      $0.keepsMigrationBackup = true
    }
    #expect(error == .migrationFailed && "\(error)".contains("cancelled"))
    #expect(!FileManager.default.fileExists(atPath: store.url.path + "_backup"))
  }
}

private enum CancellingPlan: SchemaMigrationPlan {
  static let progress = Lock<ModelContainer.MigrationProgress?>(nil)
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: One.self, toVersion: Two.self,
        willMigrate: { context in
          for trip in try context.fetch(FetchDescriptor<One.Trip>()) {
            if trip.name == nil { trip.name = "unnamed" }
            if trip.first == nil { trip.first = One.Stop("start") }
          }
          progress.withLock { $0 }?.progress.cancel()
        }, didMigrate: nil)
    ]
  }
}
