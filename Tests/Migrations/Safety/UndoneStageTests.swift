import ConformanceSupport
import SwiftData
import Testing

private enum CratesOne: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Crate.self] }

  @Model final class Crate {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

private enum CratesTwo: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Crate.self] }

  @Model final class Crate {
    var name: String
    var weight: Int = 7
    init(_ name: String) { self.name = name }
  }
}

private enum CratesPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [CratesOne.self, CratesTwo.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: CratesOne.self, toVersion: CratesTwo.self,
        willMigrate: { context in
          // This stage ignores the errors of its saves, as the stages of programs often do.
          for name in ["a", "b"] {
            context.insert(CratesOne.Crate(name))
            try? context.save()
          }
        },
        didMigrate: { context in
          context.insert(CratesTwo.Crate("late"))
          try? context.save()
        })
    ]
  }
}

@Suite("Stages that go on after SQLite has rolled the migration back", .onSQLite)
struct UndoneStageTests {
  @Test(
    "the migration throws and changes nothing, and succeeds once the cause is removed",
    arguments: ["willMigrate", "didMigrate"])
  func undone(_ moment: String) throws {
    let store = try MigratedStore()
    try store.use(CratesOne.models) { $0.insert(CratesOne.Crate("first")) }
    // The trigger makes SQLite roll back the whole transaction, as SQLite does when the disk is full.
    let condition = moment == "willMigrate" ? "NEW.name = 'a'" : "NEW.name = 'late'"
    let trigger =
      "CREATE TRIGGER refuse BEFORE INSERT ON Crate WHEN \(condition) BEGIN SELECT RAISE(ROLLBACK, 'no'); END"
    try RawDatabase(store.url.path).run(trigger)
    let error = try store.refusal(of: CratesTwo.models, version: CratesTwo.versionIdentifier, plan: CratesPlan.self)
    #expect(error.explanation?.contains("SQLite undid") == true, "\(error)")
    try RawDatabase(store.url.path).run("DROP TRIGGER refuse")
    let container = try store.open(CratesTwo.models, version: CratesTwo.versionIdentifier, plan: CratesPlan.self)
    let crates = try ModelContext(container).fetch(FetchDescriptor<CratesTwo.Crate>())
    #expect(crates.map(\.name).sorted() == ["a", "b", "first", "late"])
  }
}
