import ConformanceSupport
import SwiftData
import Testing

/// The file of one test, opened with one schema after the other.
final class MigratedStore {
  let folder: URL
  let url: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "migrations-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appending(path: "trips.store")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func open(
    _ models: [any PersistentModel.Type], version: Schema.Version = Schema.Version(1, 0, 0),
    plan: (any SchemaMigrationPlan.Type)? = nil, _ configure: (inout ModelConfiguration) -> Void = { _ in }
  ) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: url)
    configure(&configuration)
    return try ModelContainer(
      for: Schema(models, version: version), migrationPlan: plan, configurations: [configuration])
  }

  /// Opens the store, works on it, saves and closes it.
  func use(
    _ models: [any PersistentModel.Type], plan: (any SchemaMigrationPlan.Type)? = nil,
    _ configure: (inout ModelConfiguration) -> Void = { _ in }, _ body: (ModelContext) throws -> Void
  ) throws {
    let context = ModelContext(try open(models, plan: plan, configure))
    try body(context)
    try context.save()
  }

  /// Opens the store with other models, and checks that it is sound, and like one that they made.
  func migrate(
    to models: [any PersistentModel.Type], plan: (any SchemaMigrationPlan.Type)? = nil,
    _ configure: (inout ModelConfiguration) -> Void = { _ in }, _ body: (ModelContext) throws -> Void
  ) throws {
    try use(models, plan: plan, configure, body)
    let database = try RawDatabase(url.path)
    #expect(try database.problems() == [])
    let fresh = try MigratedStore()
    try fresh.use(models, configure) { _ in }
    let expected = try RawDatabase(fresh.url.path).layout()
    #expect(try database.layout() == expected)
  }

  /// What keeps the store from being opened, which must then be as it was.
  func refusal(
    of models: [any PersistentModel.Type], version: Schema.Version = Schema.Version(1, 0, 0),
    plan: (any SchemaMigrationPlan.Type)? = nil, _ configure: (inout ModelConfiguration) -> Void = { _ in },
    _ location: SourceLocation = #_sourceLocation
  ) throws -> SwiftDataError {
    let before = try RawDatabase(url.path).dump()
    let error = #expect(throws: SwiftDataError.self, sourceLocation: location) {
      _ = try open(models, version: version, plan: plan, configure)
    }
    #expect(try RawDatabase(url.path).dump() == before, sourceLocation: location)
    return try #require(error, sourceLocation: location)
  }
}
