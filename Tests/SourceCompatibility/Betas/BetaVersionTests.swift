import SwiftData
import Testing

@Suite("Versions and plans in the deprecated spelling of the betas")
struct BetaTripTests {
  @Test("A plan migrates a store from the first version to the last, whose constraints then apply")
  func plan() throws { try check(ThroughThreeVersions()) }
}

private struct ThroughThreeVersions: Spelling {
  @available(*, deprecated)
  func check() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "trips.store")
    try write(url)
    let container = try ModelContainer(
      for: BetaTripsV3.Trip.self, migrationPlan: BetaTripsPlan.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    let trips = try context.fetch(FetchDescriptor<BetaTripsV3.Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["Lima", "Oslo"])
    #expect(trips.map(\.startDate.timeIntervalSinceReferenceDate) == [3, 1])
    #expect(trips.map(\.endDate.timeIntervalSinceReferenceDate) == [10, 8])
    #expect(trips[1].bucketList?.map(\.title) == ["ski"] && trips[1].livingAccommodation?.address == "Street 1")
    try checkTransient(trips[1], container)
    try checkCascade(trips[1], context)
  }

  @available(*, deprecated)
  private func write(_ url: URL) throws {
    let container = try ModelContainer(for: BetaTripsV1.models, ModelConfiguration(url: url))
    let context = ModelContext(container)
    let oslo = BetaTripsV1.Trip("Oslo", day: 1)
    for trip in [oslo, BetaTripsV1.Trip("Oslo", day: 2), BetaTripsV1.Trip("Lima", day: 3)] {
      context.insert(object: trip)
    }
    oslo.bucketList?.append(BetaTripsV1.BucketListItem("ski"))
    oslo.livingAccommodation = BetaTripsV1.LivingAccommodation("Street 1")
    try context.save()
  }

  @available(*, deprecated)
  private func checkTransient(_ trip: BetaTripsV3.Trip, _ container: ModelContainer) throws {
    trip.tripViews = 5
    #expect(!trip.hasChanges)
    let other = ModelContext(container)
    let found = try #require(other.object(with: trip.objectID) as? BetaTripsV3.Trip)
    #expect(found.tripViews == 0 && found.name == "Oslo")
  }

  @available(*, deprecated)
  private func checkCascade(_ trip: BetaTripsV3.Trip, _ context: ModelContext) throws {
    context.delete(object: trip)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<BetaTripsV3.BucketListItem>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<BetaTripsV3.LivingAccommodation>()) == 0)
  }
}
