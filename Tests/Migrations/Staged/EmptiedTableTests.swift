import ConformanceSupport
import OpenSwiftData
import PersistenceCore
import Testing

// The second version makes changes that rows would prevent: it adds a required attribute, a required relationship and a
// member of a struct without a default, and changes a type.

private enum One: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Stop.self, Walk.self] }
  @Model class Trip {
    var name: String
    var length: String = ""
    var guides: [Stop] = []
    init(_ name: String) { self.name = name }
  }
  @Model final class Walk: Trip {
    var shoes: Int = 0
    override init(_ name: String) { super.init(name) }
  }
  @Model final class Stop {
    var place: String
    var remark: String?
    init(_ place: String) { self.place = place }
  }
}

private enum Two: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Stop.self, Walk.self] }
  @Model class Trip {
    @Attribute(.unique) var name: String
    var length: Int
    var code: String
    @Relationship(inverse: nil) var guides: Stop
    @Relationship(inverse: nil) var first: Stop
    init(_ name: String, _ stop: Stop) {
      (self.name, self.length, self.code) = (name, 1, "c")
      self.guides = stop
      self.first = stop
    }
  }
  @Model final class Walk: Trip {
    var shoes: Int = 0
    var laces: String
    override init(_ name: String, _ stop: Stop) {
      laces = "red"
      super.init(name, stop)
    }
  }
  @Model final class Stop {
    var place: String
    var remark: String
    init(_ place: String) { (self.place, self.remark) = (place, "") }
  }
}

/// A plan whose `willMigrate` runs a closure that the test has set.
private enum Plan: SchemaMigrationPlan {
  static let work = Lock<(@Sendable (ModelContext) throws -> Void)?>(nil)
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: One.self, toVersion: Two.self,
        willMigrate: { context in try work.withLock { $0 }?(context) }, didMigrate: nil)
    ]
  }
}

private enum WithoutWork: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [One.self, Two.self] }
  static var stages: [MigrationStage] {
    [.custom(fromVersion: One.self, toVersion: Two.self, willMigrate: nil, didMigrate: { _ in })]
  }
}

private struct Broken: Error {}

@Suite("Custom stages that remove rows which prevent a change", .serialized)
struct EmptiedTableTests {
  private func store() throws -> MigratedStore {
    let store = try MigratedStore()
    try store.use(One.models) { context in
      for trip in [One.Trip("a"), One.Trip("a"), One.Walk("b")] {
        context.insert(trip)
        trip.guides = [One.Stop("of \(trip.name)")]
      }
    }
    return store
  }

  private func plan(_ work: @escaping @Sendable (ModelContext) throws -> Void) -> any SchemaMigrationPlan.Type {
    Plan.work.withLock { $0 = work }
    return Plan.self
  }

  private static func fillStops(_ context: ModelContext) throws {
    for stop in try context.fetch(FetchDescriptor<One.Stop>()) { stop.remark = "kept" }
  }

  @Test("if willMigrate deletes all rows of a table, the table may get required properties without defaults")
  func emptied() throws {
    let store = try store()
    let plan = plan { context in
      try context.delete(model: One.Trip.self)
      try Self.fillStops(context)
    }
    try store.migrate(to: Two.models, plan: plan) { context in
      let stops = try context.fetch(FetchDescriptor<Two.Stop>())
      #expect(stops.count == 3 && stops.allSatisfy { $0.remark == "kept" })
      let stop = try #require(stops.first)
      context.insert(Two.Trip("new", stop))
      context.insert(Two.Walk("newer", stop))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Two.Trip>()) == 2)
    }
  }

  @Test("if willMigrate leaves rows that prevent the change, the error lists them and a remedy, and nothing changes")
  func left() throws {
    let store = try store()
    let plan = plan { context in
      for trip in try context.fetch(FetchDescriptor<One.Trip>()) where !(trip is One.Walk) { context.delete(trip) }
      try Self.fillStops(context)
    }
    let error = try store.refusal(of: Two.models, version: Two.versionIdentifier, plan: plan)
    #expect(error == .modelValidationFailure)
    for part in ["Trip.code", "required", "row 3", "willMigrate", "default"] { #expect("\(error)".contains(part)) }
  }

  @Test("the migration throws if willMigrate throws or leaves a required property without a value")
  func forgotten() throws {
    let store = try store()
    let first = plan { try $0.delete(model: One.Trip.self) }
    let error = try store.refusal(of: Two.models, version: Two.versionIdentifier, plan: first)
    #expect(error == .modelValidationFailure && "\(error)".contains("Stop.remark became required"), "\(error)")
    let second = plan { context in
      try context.delete(model: One.Trip.self)
      try context.save()
      throw Broken()
    }
    let other = try store.refusal(of: Two.models, version: Two.versionIdentifier, plan: second)
    #expect(other == .migrationFailed && other.underlyingError is Broken)
  }

  @Test("a stage without willMigrate cannot delete rows that prevent the change, so the migration throws at once")
  func withoutWork() throws {
    let error = try store().refusal(of: Two.models, version: Two.versionIdentifier, plan: WithoutWork.self)
    #expect(error == .unknownSchema && "\(error)".contains("Trip.code"))
  }

  @Test("a printed plan of such a stage contains the conditions that its code has to fulfil, and runs no code")
  func printed() throws {
    let store = try store()
    let before = try store.contents().dump()
    let plan = plan { _ in throw Broken() }
    let printed = try store.plan(to: Schema(versionedSchema: Two.self), plan)
    #expect(printed.isPossible && printed.stages.map(\.kind) == ["custom"])
    #expect(
      Set(printed.stages[0].obstacles.map(\.property)).isSuperset(of: ["code", "first", "length", "laces", "remark"]))
    #expect("\(printed)".contains("-- must find nothing"))
    #expect(try store.contents().dump() == before)
  }
}
