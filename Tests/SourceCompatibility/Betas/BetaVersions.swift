import SwiftData

// Three versions of a schema, as shown in sample code for the betas: without version numbers, and with delete rules
// that have no argument label.

@available(*, deprecated)
enum BetaTripsV1: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Trip.self, BucketListItem.self, LivingAccommodation.self] }

  @Model final class Trip {
    var name: String
    var destination: String
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var start_date: Date
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var end_date: Date

    var bucketList: [BucketListItem]? = []
    var livingAccommodation: LivingAccommodation?

    init(_ name: String, day: Double) {
      self.name = name
      destination = "everywhere"
      start_date = Date(timeIntervalSinceReferenceDate: day)
      end_date = Date(timeIntervalSinceReferenceDate: day + 7)
    }
  }

  @Model final class BucketListItem {
    var title: String
    init(_ title: String) { self.title = title }
  }

  @Model final class LivingAccommodation {
    var address: String
    init(_ address: String) { self.address = address }
  }
}

@available(*, deprecated)
enum BetaTripsV2: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Trip.self, BucketListItem.self, LivingAccommodation.self] }

  @Model final class Trip {
    @Attribute(.unique) var name: String
    var destination: String
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var start_date: Date
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var end_date: Date

    var bucketList: [BucketListItem]? = []
    var livingAccommodation: LivingAccommodation?

    init(_ name: String) {
      self.name = name
      destination = "everywhere"
      start_date = .distantPast
      end_date = .distantPast
    }
  }

  @Model final class BucketListItem {
    var title: String
    init(_ title: String) { self.title = title }
  }

  @Model final class LivingAccommodation {
    var address: String
    init(_ address: String) { self.address = address }
  }
}

@available(*, deprecated)
enum BetaTripsV3: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Trip.self, BucketListItem.self, LivingAccommodation.self] }

  @Model final class Trip {
    @Attribute(.unique) var name: String
    var destination: String
    @Attribute(originalName: "start_date") var startDate: Date
    @Attribute(originalName: "end_date") var endDate: Date

    @Relationship(.cascade)
    var bucketList: [BucketListItem]? = []

    @Relationship(.cascade)
    var livingAccommodation: LivingAccommodation?

    @Transient
    var tripViews: Int = 0

    init(_ name: String) {
      self.name = name
      destination = "everywhere"
      startDate = .distantPast
      endDate = .distantPast
    }
  }

  @Model final class BucketListItem {
    var title: String
    init(_ title: String) { self.title = title }
  }

  @Model final class LivingAccommodation {
    var address: String
    init(_ address: String) { self.address = address }
  }
}

@available(*, deprecated)
enum BetaTripsPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [BetaTripsV1.self, BetaTripsV2.self, BetaTripsV3.self] }

  static var stages: [MigrationStage] { [firstToSecond, secondToThird] }

  static let firstToSecond = MigrationStage.custom(
    fromVersion: BetaTripsV1.self,
    toVersion: BetaTripsV2.self,
    willMigrate: { context in
      let trips = try? context.fetch(FetchDescriptor<BetaTripsV1.Trip>())
      var names: Set<String> = []
      for trip in trips ?? [] where !names.insert(trip.name).inserted { context.delete(trip) }
      try? context.save()
    }, didMigrate: nil
  )

  static let secondToThird = MigrationStage.lightweight(fromVersion: BetaTripsV2.self, toVersion: BetaTripsV3.self)
}
