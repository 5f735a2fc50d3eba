import SwiftData

/// Version 1 of a trip planner. In later versions names become unique, dates are renamed, and pictures move from
/// external files into the rows.
package enum TripsV1: VersionedSchema {
  package static let versionIdentifier = Schema.Version(1, 0, 0)
  package static var models: [any PersistentModel.Type] { [Trip.self, BucketListItem.self, LivingAccommodation.self] }

  @Model package final class Trip {
    package var name: String
    package var destination: String
    // swift-format-ignore: AlwaysUseLowerCamelCase
    package var start_date: Date
    // swift-format-ignore: AlwaysUseLowerCamelCase
    package var end_date: Date
    @Attribute(.externalStorage) package var picture: Data?
    @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip) package var bucketList: [BucketListItem]? = []
    @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
    package var livingAccommodation: LivingAccommodation?

    package init(name: String, destination: String, start: Date, end: Date) {
      self.name = name
      self.destination = destination
      start_date = start
      end_date = end
    }
  }

  @Model package final class BucketListItem {
    package var title: String
    package var trip: Trip?
    package init(_ title: String) { self.title = title }
  }

  @Model package final class LivingAccommodation {
    package var address: String
    package var trip: Trip?
    package init(_ address: String) { self.address = address }
  }
}

package enum TripsV2: VersionedSchema {
  package static let versionIdentifier = Schema.Version(2, 0, 0)
  package static var models: [any PersistentModel.Type] { [Trip.self, BucketListItem.self, LivingAccommodation.self] }

  @Model package final class Trip {
    @Attribute(.unique) package var name: String
    package var destination: String
    // swift-format-ignore: AlwaysUseLowerCamelCase
    package var start_date: Date
    // swift-format-ignore: AlwaysUseLowerCamelCase
    package var end_date: Date
    @Attribute(.externalStorage) package var picture: Data?
    @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip) package var bucketList: [BucketListItem]? = []
    @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
    package var livingAccommodation: LivingAccommodation?

    package init(name: String, destination: String, start: Date, end: Date) {
      self.name = name
      self.destination = destination
      start_date = start
      end_date = end
    }
  }

  @Model package final class BucketListItem {
    package var title: String
    package var trip: Trip?
    package init(_ title: String) { self.title = title }
  }

  @Model package final class LivingAccommodation {
    package var address: String
    package var trip: Trip?
    package init(_ address: String) { self.address = address }
  }
}

package enum TripsV3: VersionedSchema {
  package static let versionIdentifier = Schema.Version(3, 0, 0)
  package static var models: [any PersistentModel.Type] { [Trip.self, BucketListItem.self, LivingAccommodation.self] }

  @Model package final class Trip {
    @Attribute(.unique) package var name: String
    package var destination: String
    @Attribute(originalName: "start_date") package var startDate: Date
    @Attribute(originalName: "end_date") package var endDate: Date
    package var picture: Data?
    package var remark: String = "none"
    @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip) package var bucketList: [BucketListItem]? = []
    @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
    package var livingAccommodation: LivingAccommodation?

    package init(name: String, destination: String, start: Date, end: Date) {
      self.name = name
      self.destination = destination
      startDate = start
      endDate = end
    }
  }

  @Model package final class BucketListItem {
    package var title: String
    package var trip: Trip?
    package init(_ title: String) { self.title = title }
  }

  @Model package final class LivingAccommodation {
    package var address: String
    package var trip: Trip?
    package init(_ address: String) { self.address = address }
  }
}

package enum TripsPlan: SchemaMigrationPlan {
  package static var schemas: [any VersionedSchema.Type] { [TripsV1.self, TripsV2.self, TripsV3.self] }

  package static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: TripsV1.self, toVersion: TripsV2.self, willMigrate: removeDuplicates,
        didMigrate: { context in
          let trips = try context.fetch(FetchDescriptor<TripsV2.Trip>())
          for trip in trips { trip.destination += "!" }
          try context.save()
        }),
      .lightweight(fromVersion: TripsV2.self, toVersion: TripsV3.self),
    ]
  }

  /// Keeps the earliest trip of each name, and deletes the other ones.
  @Sendable private static func removeDuplicates(_ context: ModelContext) throws {
    FileHandle.standardOutput.write(Data("removing duplicates\n".utf8))
    var names: Set<String> = []
    let trips = try context.fetch(FetchDescriptor<TripsV1.Trip>(sortBy: [SortDescriptor(\.start_date)]))
    for trip in trips where !names.insert(trip.name).inserted { context.delete(trip) }
    try context.save()
  }
}

/// Creates and checks stores of version 1 and version 3.
package enum TripStores {
  /// Creates a store of version 1 with trips, two of each name.
  package static func make(at url: URL, trips count: Int) throws {
    try fill(
      ModelContainer(for: Schema(versionedSchema: TripsV1.self), configurations: [ModelConfiguration(url: url)]),
      trips: count)
  }

  /// Inserts the trips into an empty store of version 1.
  package static func fill(_ container: ModelContainer, trips count: Int) throws {
    let context = ModelContext(container)
    for index in 0..<count {
      let start = Date(timeIntervalSinceReferenceDate: Double(index))
      let trip = TripsV1.Trip(
        name: "trip \(index / 2)", destination: "place \(index)", start: start, end: start.addingTimeInterval(60))
      context.insert(trip)
      trip.bucketList = [TripsV1.BucketListItem("a \(index)"), TripsV1.BucketListItem("b \(index)")]
      trip.livingAccommodation = TripsV1.LivingAccommodation("street \(index)")
      if index % 500 == 0 { trip.picture = picture(index) }
    }
    try context.save()
  }

  /// A picture of 150,000 bytes, which is stored in an external file.
  package static func picture(_ index: Int) -> Data {
    Data(repeating: UInt8(truncatingIfNeeded: index), count: 150_000)
  }

  package static func migrated(
    at url: URL, _ configure: (inout ModelConfiguration) -> Void = { _ in }
  ) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: url)
    configure(&configuration)
    return try ModelContainer(
      for: Schema(versionedSchema: TripsV3.self), migrationPlan: TripsPlan.self, configurations: [configuration])
  }

  /// The differences between a migrated store, which had the given number of trips, and its expected contents.
  package static func problems(at url: URL, trips count: Int) throws -> [String] {
    try problems(of: migrated(at: url), trips: count)
  }

  /// The differences between a store of version 3 and its expected contents.
  package static func problems(of container: ModelContainer, trips count: Int) throws -> [String] {
    let context = ModelContext(container)
    let trips = try context.fetch(FetchDescriptor<TripsV3.Trip>(sortBy: [SortDescriptor(\.startDate)]))
    var problems: [String] = []
    if trips.count != (count + 1) / 2 { problems.append("there are \(trips.count) trips") }
    for (index, trip) in trips.enumerated() {
      let first = index * 2
      let isRight =
        trip.name == "trip \(index)" && trip.destination == "place \(first)!" && trip.remark == "none"
        && trip.startDate == Date(timeIntervalSinceReferenceDate: Double(first))
        && trip.bucketList?.map(\.title) == ["a \(first)", "b \(first)"]
        && trip.livingAccommodation?.address == "street \(first)"
        && trip.picture == (first % 500 == 0 ? picture(first) : nil)
      if !isRight { problems.append("\(trip.name) is not what it was") }
    }
    let items = try context.fetchCount(FetchDescriptor<TripsV3.BucketListItem>())
    if items != trips.count * 2 { problems.append("there are \(items) items") }
    return problems
  }

  /// The differences between the file of a store of version 1 and its expected contents.
  package static func originalProblems(at url: URL, trips count: Int) throws -> [String] {
    try originalProblems(
      of: ModelContainer(for: Schema(versionedSchema: TripsV1.self), configurations: [ModelConfiguration(url: url)]),
      trips: count)
  }

  /// The differences between an open store of version 1 and its expected contents.
  package static func originalProblems(of container: ModelContainer, trips count: Int) throws -> [String] {
    let trips = try ModelContext(container).fetch(
      FetchDescriptor<TripsV1.Trip>(sortBy: [SortDescriptor(\.start_date)]))
    var problems = trips.count == count ? [] : ["there are \(trips.count) trips"]
    for (index, trip) in trips.enumerated() {
      let isRight =
        trip.name == "trip \(index / 2)" && trip.destination == "place \(index)"
        && trip.bucketList?.map(\.title) == ["a \(index)", "b \(index)"]
        && trip.picture == (index % 500 == 0 ? picture(index) : nil)
      if !isRight { problems.append("\(trip.name) is not what it was") }
    }
    return problems
  }
}
