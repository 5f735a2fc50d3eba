import SwiftData

/// The third version of the trip planner: the names of trips are unique, and the dates are renamed according to Swift's
/// conventions.
enum TripsRenamed: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, BucketListItem.self, LivingAccommodation.self] }

  @Model final class Trip {
    @Attribute(.unique) var name: String
    var destination: String
    @Attribute(originalName: "start_date") var startDate: Date
    @Attribute(originalName: "end_date") var endDate: Date
    var seats: Int32 = 1
    var rating: Int?
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
