// The examples in documentation comments on containers, contexts, databases and their errors.
import OpenSwiftData

@Model final class Trip {
  var name: String
  var days = 0
  var country = ""
  var end = Date.now
  init(name: String) { self.name = name }
}

@Model final class Stop {
  var name: String
  init(name: String) { self.name = name }
}

@Model final class Account {
  var balance = 0
  init() {}
}

// MARK: Versions

enum TripsV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self] }
}

enum TripsV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }
}

enum TripPlan: SchemaMigrationPlan {
  static let schemas: [any VersionedSchema.Type] = [TripsV1.self, TripsV2.self]
  static let stages = [MigrationStage.lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self)]
}

func plan() throws {
  print(try ModelContainer.migrationPlan(from: TripsV1.self, to: TripsV2.self))
}

func written(_ file: URL) throws {
  let schema = Schema([Trip.self, Stop.self], version: Schema.Version(1, 0, 0))
  try schema.save(to: file)
}

// MARK: Containers

func configured() throws -> ModelContainer {
  let configuration = ModelConfiguration("Trips", isStoredInMemoryOnly: false)
  let container = try ModelContainer(for: Trip.self, configurations: configuration)
  return container
}

func several() throws -> ModelContainer {
  let container = try ModelContainer(for: Trip.self, Stop.self)
  return container
}

func opened() throws {
  let container = try ModelContainer(for: Trip.self)
  let context = ModelContext(container)
  context.insert(Trip(name: "Oslo"))
  try context.save()
}

func logged(_ file: URL) -> ModelConfiguration {
  var configuration = ModelConfiguration(url: file)
  configuration.slowStatementLog = ModelConfiguration.SlowStatementLog(threshold: .milliseconds(50))
  return configuration
}

func read(_ container: ModelContainer) async throws -> [String] {
  let names = try await container.read { context in
    try context.fetch(FetchDescriptor<Trip>()).map(\.name)
  }
  return names
}

// MARK: Contexts

func fetched(_ context: ModelContext) throws {
  let trips = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 5 }))
  let count = try context.fetchCount(FetchDescriptor<Trip>())
  print(trips.count, count)
}

func batches(_ context: ModelContext) throws {
  let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]), batchSize: 100)
  print(trips.count, trips[5_000].name)
  try context.enumerate(FetchDescriptor<Trip>(), batchSize: 100) { trip in print(trip.name) }
}

func deleted(_ context: ModelContext, before today: Date) throws {
  try context.delete(model: Trip.self, where: #Predicate { $0.end < today })
}

func identified(_ trip: Trip, _ otherContext: ModelContext) -> Trip? {
  let id = trip.persistentModelID
  let sameTrip = otherContext.model(for: id) as? Trip
  return sameTrip
}

func undone(_ context: ModelContext, _ trip: Trip) throws {
  context.undoManager = UndoManager()
  trip.name = "Oslo"
  try context.save()
  context.undoManager?.undo()  // restores trip.name; the change is pending
}

func transferred(_ context: ModelContext, _ account: Account, _ other: Account) throws {
  try context.transaction {
    account.balance -= 10
    other.balance += 10
  }
}

func conflict(_ context: ModelContext) throws {
  context.conflictPolicy = .throwError
  do {
    try context.save()
  } catch SwiftDataError.conflictingChanges {
    context.rollback()  // reads what the others saved
  }
}

func refused(_ context: ModelContext) throws {
  do {
    try context.save()
  } catch SwiftDataError.conflictingChanges {
    context.rollback()
  } catch let error as SwiftDataError where error == .storeBusy {
    print(error.explanation ?? "busy")
  }
}

// MARK: Aggregates

func two(_ context: ModelContext) throws {
  let (trips, days) = try context.aggregate(Trip.self, .count, .sum(of: \.days))
  print(trips, days)
}

func three(_ context: ModelContext) throws {
  let (trips, days, longest) = try context.aggregate(Trip.self, .count, .sum(of: \.days), .max(of: \.days))
  print(trips, days, longest as Any)
}

func grouped(_ context: ModelContext) throws {
  for (country, (trips, days)) in try context.grouped(by: \Trip.country, .count, .sum(of: \.days)) {
    print(country, trips, days)
  }
}

func single(_ context: ModelContext) throws {
  let days = try context.sum(of: \Trip.days, where: #Predicate { $0.country == "NO" })
  let countries = try context.distinct(\Trip.country)
  print(days, countries)
}

// MARK: Actors

@ModelActor actor TripStore {
  func add(_ name: String) throws -> PersistentIdentifier {
    let trip = Trip(name: name)
    modelContext.insert(trip)
    try modelContext.save()
    return trip.persistentModelID
  }
}

@ModelActor actor Library: Database {}

func database(_ container: ModelContainer) async throws -> [String] {
  let database = ModelDatabase(modelContainer: container)
  let trip = try await database.insert { Trip(name: "Oslo") }
  let names = try await database.fetch(FetchDescriptor<Trip>()) { trips in trips.map(\.name) }
  try await database.delete(trip)
  return names
}

func referred(_ database: ModelDatabase) async throws -> String {
  let trip: Model<Trip> = try await database.insert { Trip(name: "Oslo") }
  try await database.update(trip) { $0.name = "Bergen" }
  let name = try await database.get(trip) { $0.name }
  return name
}

// MARK: Maintaining a store

func unread(_ context: ModelContext) throws {
  let trips = try context.fetch(FetchDescriptor<Trip>())
  for unread in context.unreadValues { print(unread.error) }
  print(trips.count)
}

func check(_ container: ModelContainer) async throws {
  for problem in try await container.check(repairing: true) where problem.repair != .done {
    print(problem)
  }
}

func backUp(_ container: ModelContainer, in folder: URL) async throws {
  try await container.backup(to: folder.appending(path: "trips-2026-11-25.store"))
}

func restore(_ backup: URL, to storeURL: URL) async throws {
  try await ModelContainer.restore(from: backup, to: storeURL)
  let container = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: storeURL))
  print(container.schema)
}
