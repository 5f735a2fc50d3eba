import ConformanceSupport
import SwiftData
import Testing

// Schema versions and options as programs wrote them for the 2023 betas of SwiftData. The test calls this deprecated
// code through a protocol, so that the compiler does not warn about it.

private protocol Spelling {
  func check() throws
}

@available(*, deprecated)
private enum TripsOne: VersionedSchema {
  static var versionIdentifier: String? { "v1" }
  static var models: [any PersistentModel.Type] { [Trip.self] }

  @Model final class Trip {
    @Attribute(.index) var name: String
    @Attribute(.transient) var views: Int = 4
    init(_ name: String) { self.name = name }
  }
}

@available(*, deprecated)
private enum TripsTwo: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Trip.self] }

  @Model final class Trip {
    @Attribute([.unique, .index]) var name: String
    init(_ name: String) { self.name = name }
  }
}

@available(*, deprecated)
private enum TripsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripsOne.self, TripsTwo.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: TripsOne.self, toVersion: TripsTwo.self,
        willMigrate: { context in
          let trips = try? context.fetch(FetchDescriptor<TripsOne.Trip>())
          for trip in (trips ?? []).dropFirst() { context.delete(trip) }
          try? context.save()
        }, didMigrate: nil)
    ]
  }
}

private struct Betas: Spelling {
  @available(*, deprecated)
  func check() throws {
    let store = try MigratedStore()
    try store.use(TripsOne.models) { context in
      for _ in 0..<2 { context.insert(TripsOne.Trip("Oslo")) }
      try context.save()
    }
    let entity = try #require(Schema(versionedSchema: TripsOne.self).entitiesByName["Trip"])
    #expect(entity.indices == [["name"]] && entity.attributesByName["name"]?.options == [])
    #expect(entity.attributesByName["views"]?.isTransient == true)
    let columns = try RawDatabase(store.url.path).column("SELECT name FROM pragma_table_info('Trip')")
    #expect(columns == ["_osd_key", "name"])
    try store.migrate(to: TripsTwo.models, plan: TripsPlan.self) { context in
      let trips = try context.fetch(FetchDescriptor<TripsTwo.Trip>())
      #expect(trips.map(\.name) == ["Oslo"])
    }
    #expect(Attribute([.unique]).isUnique)
  }
}

@Suite("Deprecated spellings of schema versions")
struct BetaVersionTests {
  @Test(
    "versions without a number or with a text as their number can be migrated, and deprecated options work",
    .onSQLite)
  func all() throws {
    let spelling: any Spelling = Betas()
    try spelling.check()
  }
}
