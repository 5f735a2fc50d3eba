import SwiftData

/// The first version of trips: two trips may have the same name.
enum TripsSchemaV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, BucketListItem.self, LivingAccommodation.self] }

  @Model final class Trip {
    var name: String
    var destination: String
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var start_date: Date
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var end_date: Date
    @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip) var bucketList: [BucketListItem]? = []
    @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
    var livingAccommodation: LivingAccommodation?

    init(name: String, destination: String, start: Date, end: Date) {
      self.name = name
      self.destination = destination
      start_date = start
      end_date = end
    }
  }

  @Model final class BucketListItem {
    var title: String
    var isDone = false
    var trip: Trip?

    init(_ title: String) { self.title = title }
  }

  @Model final class LivingAccommodation {
    var address: String
    var trip: Trip?

    init(_ address: String) { self.address = address }
  }
}
