import SwiftData
import Testing

private enum First: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Red.self, Blue.self] }
  @Model final class Red {
    var name: String
    init(_ name: String) { self.name = name }
  }
  @Model final class Blue {
    var size: Int
    init(_ size: Int) { self.size = size }
  }
}

private enum Second: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Red.self, Blue.self] }
  @Model final class Red {
    @Attribute(originalName: "name") var title: String
    init(_ title: String) { self.title = title }
  }
  @Model final class Blue {
    var size: Int
    var twice: Int = 0
    init(_ size: Int) { self.size = size }
  }
}

private enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: First.self, toVersion: Second.self, willMigrate: nil,
        didMigrate: { context in
          // The stage runs once for each store. Its context has only the models of that store, so the stage for the red
          // store has nothing to do.
          guard context.container.schema.entitiesByName["Blue"] != nil else { return }
          for blue in try context.fetch(FetchDescriptor<Second.Blue>()) { blue.twice = blue.size * 2 }
        })
    ]
  }
}

@Suite("Migrations of several stores")
struct SeveralStoresTests {
  @Test("each store of a container is migrated with the models that it contains")
  func several() throws {
    let folder = try MigratedStore()
    let (red, blue) = (folder.url, folder.folder.appending(path: "blue.store"))
    do {
      let container = try ModelContainer(
        for: Schema(versionedSchema: First.self),
        configurations: [
          ModelConfiguration("red", schema: Schema([First.Red.self]), url: red),
          ModelConfiguration("blue", schema: Schema([First.Blue.self]), url: blue),
        ])
      let context = ModelContext(container)
      context.insert(First.Red("r"))
      context.insert(First.Blue(4))
      try context.save()
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: Second.self), migrationPlan: Plan.self,
      configurations: [
        ModelConfiguration("red", schema: Schema([Second.Red.self]), url: red),
        ModelConfiguration("blue", schema: Schema([Second.Blue.self]), url: blue),
      ])
    let context = ModelContext(container)
    let (reds, blues) = (FetchDescriptor<Second.Red>(), FetchDescriptor<Second.Blue>())
    #expect(try context.fetch(reds).map(\.title) == ["r"])
    #expect(try context.fetch(blues).map(\.twice) == [8])
  }
}
