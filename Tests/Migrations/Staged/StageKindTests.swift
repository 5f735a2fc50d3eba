import ConformanceSupport
import SwiftData
import Testing

private enum Before: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Parcel.self] }
  @Model final class Parcel {
    var weight: String
    init(_ weight: String) { self.weight = weight }
  }
}

private enum After: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Parcel.self] }
  @Model final class Parcel {
    var weight: Int
    init(_ weight: Int) { self.weight = weight }
  }
}

private let weighed = MigrationStage.transform(fromVersion: Before.self, toVersion: After.self) { old, new in
  for parcel in try old.fetch(FetchDescriptor<Before.Parcel>()) {
    (new.model(for: parcel.persistentModelID) as? After.Parcel)?.weight = Int(parcel.weight) ?? 0
  }
}

private enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Before.self, After.self] }
  static var stages: [MigrationStage] { [weighed] }
}

/// A plan with a custom stage between the same two versions. Its code has no access to both schemas.
private enum CustomPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Before.self, After.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: Before.self, toVersion: After.self,
        willMigrate: { context in try context.delete(model: Before.Parcel.self) },
        didMigrate: { context in context.insert(After.Parcel(9)) })
    ]
  }
}

@Suite("Kinds of stages")
struct StageKindTests {
  /// Switches over the two cases that Apple's enum has. This code would not compile if the enum had a third case.
  private func describe(_ stage: MigrationStage) -> (name: String, from: String, hasCode: Bool) {
    switch stage {
    case .lightweight(let fromVersion, _):
      return ("lightweight", "\(fromVersion)", false)
    case .custom(let fromVersion, _, let willMigrate, let didMigrate):
      return ("custom", "\(fromVersion)", willMigrate != nil || didMigrate != nil)
    }
  }

  @Test("A stage with access to both schemas is a custom stage, so that an exhaustive switch needs only two cases")
  func exhaustive() {
    #expect(describe(weighed) == ("custom", "Before", true))
    #expect(describe(.lightweight(fromVersion: Before.self, toVersion: After.self)) == ("lightweight", "Before", false))
    #expect(weighed.fromVersion == Before.self && weighed.toVersion == After.self)
  }

  @Test("A stage that declares access to both schemas has it; another custom stage between the same versions does not")
  func migration() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, plan, weights) in [("a", Plan.self as any SchemaMigrationPlan.Type, [12]), ("b", CustomPlan.self, [9])] {
      let configuration = ModelConfiguration(url: folder.appending(path: "\(name).store"))
      do {
        let container = try ModelContainer(for: Before.Parcel.self, configurations: configuration)
        let context = ModelContext(container)
        context.insert(Before.Parcel("12"))
        try context.save()
      }
      let container = try ModelContainer(for: After.Parcel.self, migrationPlan: plan, configurations: configuration)
      let parcels = try ModelContext(container).fetch(FetchDescriptor<After.Parcel>())
      #expect(parcels.map(\.weight) == weights, "\(plan)")
    }
  }

  @Test("The code of a stage with access to both schemas throws if it is called outside of a migration")
  func outside() throws {
    let container = try ModelContainer(
      for: After.Parcel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    guard case .custom(_, _, nil, let migrate?) = weighed else {
      Issue.record("\(weighed) is no custom stage")
      return
    }
    let error = #expect(throws: SwiftDataError.migrationFailed) { try migrate(ModelContext(container)) }
    #expect(error?.explanation?.contains("migration plan") == true)
  }
}
