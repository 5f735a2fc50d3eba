import SwiftData
import Testing

enum TripSchemaV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }

  @Model final class Trip {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

    init(name: String) { self.name = name }
  }

  @Model final class Stop {
    var place: String
    var trip: Trip?

    init(place: String) { self.place = place }
  }
}

enum TripSchemaV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { .init(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [TripSchemaV2.Trip.self] }
}

extension TripSchemaV2 {
  @Model final class Trip {
    @Attribute(originalName: "name") var title: String
    var days = 1

    init(title: String) { self.title = title }
  }
}

enum TripMigrationPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [TripSchemaV1.self, TripSchemaV2.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: TripSchemaV1.self, toVersion: TripSchemaV2.self),
      .custom(
        fromVersion: TripSchemaV1.self, toVersion: TripSchemaV2.self,
        willMigrate: { context in _ = try context.fetch(FetchDescriptor<TripSchemaV1.Trip>()) }, didMigrate: nil),
    ]
  }
}

typealias Trip = TripSchemaV2.Trip
typealias OldTrip = TripSchemaV1.Trip

@Suite("Versioned schemas")
struct VersionedSchemaTests {
  @Test("The models of a version can be used under an alias") func alias() throws {
    let schema = Schema(versionedSchema: TripSchemaV2.self)
    #expect(schema.version == Schema.Version(2, 0, 0))
    let container = try ModelContainer(for: schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
    let context = ModelContext(container)
    context.insert(Trip(title: "a"))
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Trip>()).map(\.title) == ["a"])
  }

  @Test("The versions of a model share their entity's name, and each version can be used alone") func versions() throws
  {
    #expect(Schema.entityName(for: Trip.self) == Schema.entityName(for: OldTrip.self))
    let trip = OldTrip(name: "a")
    trip.stops.append(TripSchemaV1.Stop(place: "p"))
    try roundTrip(trip) { #expect($0.name == "a" && $0.stops.map(\.place) == ["p"]) }
  }

  @Test("A plan lists its versions and stages") func plan() {
    #expect(TripMigrationPlan.schemas.count == 2)
    #expect(TripMigrationPlan.stages.count == 2)
  }
}
