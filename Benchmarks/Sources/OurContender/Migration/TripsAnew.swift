import SwiftData

/// A version of the trip planner for which the table of trips must be rebuilt, because a number has a different type,
/// and an optional number is now required.
enum TripsAnew: VersionedSchema {
  static let versionIdentifier = Schema.Version(5, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, BucketListItem.self, LivingAccommodation.self] }

  @Model final class Trip {
    @Attribute(.unique) var name: String
    var destination: String
    @Attribute(originalName: "start_date") var startDate: Date
    @Attribute(originalName: "end_date") var endDate: Date
    var seats: Double = 1
    var rating: Int = 3
    @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip) var bucketList: [BucketListItem]? = []
    @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
    var livingAccommodation: LivingAccommodation?

    init(name: String) { (self.name, destination, startDate, endDate) = (name, "", .now, .now) }
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
