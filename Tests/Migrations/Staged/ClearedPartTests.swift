import ConformanceSupport
import PersistenceCore
import SwiftData
import Testing

private enum Base: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Walk.self] }
  @Model class Trip {
    var name: String
    init(_ name: String) { self.name = name }
  }
  @Model final class Walk: Trip {
    var shoes: Int = 0
    override init(_ name: String) { super.init(name) }
  }
}

private enum Laced: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Walk.self] }
  @Model class Trip {
    var name: String
    init(_ name: String) { self.name = name }
  }
  @Model final class Walk: Trip {
    var shoes: Int = 0
    var laces: String
    override init(_ name: String) {
      laces = ""
      super.init(name)
    }
  }
}

private enum LacedPlan: SchemaMigrationPlan {
  static let deletes = Lock(false)
  static var schemas: [any VersionedSchema.Type] { [Base.self, Laced.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Base.self, toVersion: Laced.self,
        willMigrate: { context in if deletes.withLock({ $0 }) { try context.delete(model: Base.Walk.self) } },
        didMigrate: nil)
    ]
  }
}

private enum Loose: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Tag.self] }
  @Model final class Tag {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

private enum Strict: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Tag.self] }
  @Model final class Tag {
    @Attribute(.unique) var name: String
    init(_ name: String) { self.name = name }
  }
}

private enum StrictPlan: SchemaMigrationPlan {
  static let deletes = Lock(false)
  static var schemas: [any VersionedSchema.Type] { [Loose.self, Strict.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Loose.self, toVersion: Strict.self,
        willMigrate: { context in if deletes.withLock({ $0 }) { try context.delete(model: Loose.Tag.self) } },
        didMigrate: nil)
    ]
  }
}

private enum PairOne: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Tag.self, Mark.self] }
  @Model final class Tag {
    var size: Int = 0
    init() {}
  }
  @Model final class Mark {
    var size: Int = 0
    init() {}
  }
}

private enum PairTwo: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Tag.self, Mark.self] }
  @Model final class Tag {
    var size: Int = 0
    var code: String
    init() { code = "" }
  }
  @Model final class Mark {
    var size: Int = 0
    var code: String
    init() { code = "" }
  }
}

private enum PairPlan: SchemaMigrationPlan {
  static let spared = Lock<String?>(nil)
  static var schemas: [any VersionedSchema.Type] { [PairOne.self, PairTwo.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: PairOne.self, toVersion: PairTwo.self,
        willMigrate: { context in
          let names = Set(context.container.schema.entities.map(\.name)).subtracting([spared.withLock { $0 } ?? ""])
          if names.contains("Tag") { try context.delete(model: PairOne.Tag.self) }
          if names.contains("Mark") { try context.delete(model: PairOne.Mark.self) }
        }, didMigrate: nil)
    ]
  }
}

@Suite("Custom stages that remove obstacles from a part of the rows", .serialized)
struct ClearedPartTests {
  @Test("the rows of a subclass are checked separately from the rows of other classes")
  func subclass() throws {
    let store = try MigratedStore()
    try store.use(Base.models) { context in
      context.insert(Base.Trip("a"))
      context.insert(Base.Walk("b"))
    }
    #expect(try store.refusal(of: Laced.models, plan: LacedPlan.self) == .modelValidationFailure)
    LacedPlan.deletes.withLock { $0 = true }
    try store.migrate(to: Laced.models, plan: LacedPlan.self) { context in
      let trips = try context.fetch(FetchDescriptor<Laced.Trip>())
      #expect(trips.map(\.name) == ["a"])
    }
  }

  @Test("a constraint that the rows satisfy after willMigrate is accepted; remaining duplicates are listed")
  func uniqueness() throws {
    let store = try MigratedStore()
    try store.use(Loose.models) { context in for _ in 0..<2 { context.insert(Loose.Tag("x")) } }
    let error = try store.refusal(of: Strict.models, plan: StrictPlan.self)
    #expect(error == .modelValidationFailure && "\(error)".contains("\"x\" (2 times)"))
    StrictPlan.deletes.withLock { $0 = true }
    try store.migrate(to: Strict.models, plan: StrictPlan.self) { context in
      let count = try context.fetchCount(FetchDescriptor<Strict.Tag>())
      #expect(count == 0)
    }
  }

  @Test(
    "the rows of each of several stores are checked; if one store is rejected, all stores stay unchanged", .onSQLite)
  func several() throws {
    let folder = try MigratedStore()
    let other = folder.folder.appending(path: "other.store")
    func container(
      _ version: any VersionedSchema.Type, _ tag: any PersistentModel.Type, _ mark: any PersistentModel.Type
    )
      throws -> ModelContainer
    {
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: PairPlan.self,
        configurations: [
          ModelConfiguration("tags", schema: Schema([tag]), url: folder.url),
          ModelConfiguration("marks", schema: Schema([mark]), url: other),
        ])
    }
    do {
      let context = ModelContext(try container(PairOne.self, PairOne.Tag.self, PairOne.Mark.self))
      context.insert(PairOne.Tag())
      context.insert(PairOne.Mark())
      try context.save()
    }
    let before = (try RawDatabase(folder.url.path).dump(), try RawDatabase(other.path).dump())
    PairPlan.spared.withLock { $0 = "Mark" }
    let error = #expect(throws: SwiftDataError.modelValidationFailure) {
      _ = try container(PairTwo.self, PairTwo.Tag.self, PairTwo.Mark.self)
    }
    #expect("\(try #require(error))".contains("Mark.code"))
    let after = (try RawDatabase(folder.url.path).dump(), try RawDatabase(other.path).dump())
    #expect(before == after)
    PairPlan.spared.withLock { $0 = nil }
    _ = try container(PairTwo.self, PairTwo.Tag.self, PairTwo.Mark.self)
  }
}
