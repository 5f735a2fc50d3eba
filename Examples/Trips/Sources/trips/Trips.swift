import OpenSwiftData

/// Writes a store as the first version of the program did, with duplicate names, and opens it with the last version.
@main
struct Trips {
  static func main() async throws {
    let path = CommandLine.arguments.dropFirst().first ?? "trips.store"
    let url = URL(filePath: path)
    if !FileManager.default.fileExists(atPath: url.path) { try writeFirstVersion(at: url) }
    try printFirstVersion(at: url)
    try await migrate(at: url)
  }

  private static func writeFirstVersion(at url: URL) throws {
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsSchemaV1.self), configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    let cities = ["Oslo", "Kyoto", "Lima"]
    for index in 0..<5_000 {
      let start = Date(timeIntervalSinceReferenceDate: 86_400 * Double(index))
      // Every city that is visited again has the name of the first visit.
      let name = index < 6 ? "\(cities[index % 3]) again" : "Journey \(index)"
      let trip = TripsSchemaV1.Trip(
        name: name, destination: cities[index % 3], start: start, end: start.addingTimeInterval(7 * 86_400))
      context.insert(trip)
      trip.bucketList = [TripsSchemaV1.BucketListItem("wish \(index)")]
      trip.livingAccommodation = TripsSchemaV1.LivingAccommodation("\(index) Main Street")
    }
    try context.save()
  }

  private static func printFirstVersion(at url: URL) throws {
    // Only reads the file: this shows what a migration would do.
    let plan = try ModelContainer.migrationPlan(
      from: ModelConfiguration(url: url), to: Schema(versionedSchema: TripsSchemaV3.self),
      migrationPlan: TripsMigrationPlan.self)
    print("The plan:\n\(plan)\n")
    guard !plan.stages.isEmpty else { return }
    let container = try ModelContainer(
      for: Schema(versionedSchema: TripsSchemaV1.self), configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    let count = try context.fetchCount(FetchDescriptor<TripsSchemaV1.Trip>())
    var first = FetchDescriptor<TripsSchemaV1.Trip>(sortBy: [SortDescriptor(\.start_date)])
    first.fetchLimit = 6
    print("Before: \(count) trips, the first of them")
    for trip in try context.fetch(first) {
      print("  \(trip.name), to \(trip.destination), from start_date \(day(trip.start_date))")
    }
  }

  private static func migrate(at url: URL) async throws {
    let progress = ModelContainer.MigrationProgress()
    let bar = Task { for await update in progress.updates { draw(update) } }
    var configuration = ModelConfiguration(url: url)
    configuration.migrationProgress = progress
    configuration.keepsMigrationBackup = true
    let container = try ModelContainer(
      for: Trip.self, migrationPlan: TripsMigrationPlan.self, configurations: configuration)
    await bar.value
    let context = ModelContext(container)
    let count = try context.fetchCount(FetchDescriptor<Trip>())
    var first = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.startDate)])
    first.fetchLimit = 6
    print("\nAfter: \(count) trips, the first of them")
    for trip in try context.fetch(first) {
      let wishes = (trip.bucketList ?? []).map(\.title).joined(separator: ", ")
      print("  \(trip.name), to \(trip.destination), from startDate \(day(trip.startDate)): \(wishes)")
    }
  }

  private static func draw(_ update: ModelContainer.MigrationProgress.Update) {
    let filled = Int(update.fraction * 30)
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
    print("[\(bar)] \(update)")
  }

  private static func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }
}
