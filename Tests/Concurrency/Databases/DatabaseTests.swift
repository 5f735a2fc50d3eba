import OpenSwiftData
import Testing

/// The shortest possible database of a program: a model actor that conforms to `Database`.
@ModelActor private actor Library: Database {}

/// The shortest possible database without macros.
private actor SmallDatabase: Database {
  private let context: ModelContext

  init(_ container: ModelContainer) { context = ModelContext(container) }

  func withModelContext<Result>(
    _ body: @Sendable (ModelContext) throws -> sending Result
  ) async rethrows -> sending Result {
    try body(context)
  }
}

enum DatabaseKind: CaseIterable {
  case model, macro, small

  func database(of container: ModelContainer) -> any Database {
    switch self {
    case .model: ModelDatabase(modelContainer: container)
    case .macro: Library(modelContainer: container)
    case .small: SmallDatabase(container)
    }
  }
}

/// A result that is not Sendable. A closure creates it and keeps no reference to it, so the database can return it.
private final class Report {
  var lines: [String] = []
}

@Suite("Databases")
struct DatabaseTests {
  @Test(
    "a database inserts a model and returns a reference to its row", arguments: Engine.allCases, DatabaseKind.allCases)
  func insert(_ engine: Engine, _ kind: DatabaseKind) async throws {
    let store = try TestStore(engine)
    let database = kind.database(of: store.container)
    let made: Model<Trip> = try await database.insert { Trip("Oslo", days: 3) }
    #expect(!made.isTemporary)
    #expect(try store.context().get(made).days == 3)
    let trip = Trip("Rome")
    let given = try await database.insert(trip)
    #expect(try store.context().get(given).name == "Rome")
    let several: [Model<Trip>] = try await database.insert { (0..<3).map { Trip("\($0)") } }
    let context = store.context()
    #expect(try several.map { try context.get($0).name } == ["0", "1", "2"])
    #expect(try store.storedNames == ["0", "1", "2", "Oslo", "Rome"])
  }

  @Test("a database reads a model by its reference", arguments: Engine.allCases, DatabaseKind.allCases)
  func get(_ engine: Engine, _ kind: DatabaseKind) async throws {
    let store = try TestStore(engine)
    let database = kind.database(of: store.container)
    let trip = try await database.insert { Trip("Oslo", days: 3) }
    #expect(try await database.get(trip) { $0.days } == 3)
    #expect(try await database.getOptional(trip) { $0?.name } == "Oslo")
    try await database.delete(trip)
    #expect(try await database.getOptional(trip) { $0 == nil })
    await #expect(throws: SwiftDataError.modelNotFound) { try await database.get(trip) { $0.days } }
  }

  @Test(
    "a database fetches with a descriptor, in the descriptor's order",
    arguments: Engine.allCases, DatabaseKind.allCases)
  func fetch(_ engine: Engine, _ kind: DatabaseKind) async throws {
    let store = try TestStore(engine)
    let database = kind.database(of: store.container)
    try await database.insert { (1...5).map { Trip("\($0)", days: $0) } }
    let descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.days > 2 }, sortBy: [SortDescriptor(\.days, order: .reverse)])
    #expect(try await database.fetch(descriptor) { trips in trips.map(\.name) } == ["5", "4", "3"])
    let references = try await database.fetch(descriptor)
    #expect(try await database.get(references[0]) { $0.name } == "5")
    #expect(try await database.count(descriptor) == 3)
    #expect(try await database.count(Trip.self) == 5)
  }

  @Test(
    "a database returns results that are not Sendable if nothing else refers to them", arguments: DatabaseKind.allCases)
  func sendingResults(_ kind: DatabaseKind) async throws {
    let store = try TestStore(.memory)
    try store.save("Oslo", "Rome")
    let database = kind.database(of: store.container)
    let report = try await database.fetch(FetchDescriptor<Trip>()) { trips in
      let report = Report()
      report.lines = trips.map(\.name).sorted()
      return report
    }
    report.lines.append("end")
    #expect(report.lines == ["Oslo", "Rome", "end"])
    let other = await database.withModelContext { context in
      let report = Report()
      report.lines = ["\(context.hasChanges)"]
      return report
    }
    #expect(other.lines == ["false"])
  }

  @Test("a database changes a model by its reference, and saves it", arguments: Engine.allCases, DatabaseKind.allCases)
  func update(_ engine: Engine, _ kind: DatabaseKind) async throws {
    let store = try TestStore(engine)
    let database = kind.database(of: store.container)
    let trip = try await database.insert { Trip("Oslo") }
    let days = try await database.update(trip) { trip in
      trip.days = 7
      trip.stops.append(Stop("Bergen"))
      return trip.days
    }
    #expect(days == 7)
    let stored = try store.context().get(trip)
    #expect(stored.days == 7)
    #expect(stored.stops.map(\.place) == ["Bergen"])
    try await database.delete(trip)
    await #expect(throws: SwiftDataError.modelNotFound) { try await database.update(trip) { $0.days = 8 } }
  }

  @Test(
    "a database changes the models that match a predicate, and returns their number", arguments: Engine.allCases,
    DatabaseKind.allCases)
  func updateMany(_ engine: Engine, _ kind: DatabaseKind) async throws {
    let store = try TestStore(engine)
    let database = kind.database(of: store.container)
    try await database.insert { (1...5).map { Trip("\($0)", days: $0) } }
    #expect(try await database.update(where: #Predicate<Trip> { $0.days > 3 }) { $0.name += "!" } == 2)
    #expect(try store.storedNames == ["1", "2", "3", "4!", "5!"])
  }

  @Test(
    "a database deletes a model by its reference, models by a predicate, or all models",
    arguments: Engine.allCases, DatabaseKind.allCases)
  func delete(_ engine: Engine, _ kind: DatabaseKind) async throws {
    let store = try TestStore(engine)
    let database = kind.database(of: store.container)
    let trips: [Model<Trip>] = try await database.insert { (1...6).map { Trip("\($0)", days: $0) } }
    #expect(try await database.delete(trips[0]))
    #expect(try await !database.delete(trips[0]))
    #expect(try await database.delete([trips[0], trips[1]]) == 1)
    #expect(try store.storedNames == ["3", "4", "5", "6"])
    try await database.delete(model: Trip.self, where: #Predicate { $0.days > 4 })
    #expect(try store.storedNames == ["3", "4"])
    try await database.delete(model: Trip.self)
    #expect(try store.storedNames == [])
  }

  @Test("a database discards the changes of a block that throws", arguments: Engine.allCases, DatabaseKind.allCases)
  func failure(_ engine: Engine, _ kind: DatabaseKind) async throws {
    let store = try TestStore(engine)
    let database = kind.database(of: store.container)
    let trip = try await database.insert { Trip("Oslo") }
    await #expect(throws: Failure.self) {
      try await database.update(trip) { trip in
        trip.name = "Rome"
        throw Failure()
      }
    }
    await #expect(throws: Failure.self) {
      try await database.transaction { context in
        context.insert(Trip("Paris"))
        try context.save()
        throw Failure()
      }
    }
    await #expect(throws: Failure.self) {
      try await database.insert { () throws -> [Trip] in throw Failure() }
    }
    #expect(await database.withModelContext { !$0.hasChanges })
    try await database.insert { Trip("last") }
    #expect(try store.storedNames == ["Oslo", "last"])
  }

  @Test("a database reads saved values, not the pending changes of its context", arguments: Engine.allCases)
  func readsCommitted(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let database = ModelDatabase(modelContainer: store.container)
    try await database.insert { Trip("Oslo") }
    await database.withModelContext { $0.insert(Trip("pending")) }
    #expect(try await database.count(Trip.self) == 1)
    try await database.withModelContext { try $0.save() }
    #expect(try await database.count(Trip.self) == 2)
  }

  @Test("a database reads what it wrote before", arguments: Engine.allCases)
  func readsOwnWrites(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let database = ModelDatabase(modelContainer: store.container)
    let trip = try await database.insert { Trip("Oslo") }
    for day in 2..<200 {
      try await database.update(trip) { $0.days = day }
      #expect(try await database.get(trip) { $0.days } == day)
    }
  }

  @Test(
    "a database does not throw for invalid changes that other code left unsaved; that code's own save throws",
    arguments: Engine.allCases)
  func refusals(_ engine: Engine) async throws {
    let (store, other) = (try TestStore(engine), try TestStore(engine))
    try other.save("foreign")
    let (database, elsewhere) = (ModelDatabase(modelContainer: store.container), other.container)
    try await database.withModelContext { $0.insert(try ModelContext(elsewhere).trip("foreign")) }
    let trip = try await database.insert { Trip("Oslo") }
    try await database.update(trip) { $0.days = 7 }
    await #expect(throws: Failure.self) { try await database.transaction { _ in throw Failure() } }
    await #expect(throws: SwiftDataError.modelOfAnotherContext) {
      try await database.transaction { $0.insert(try ModelContext(elsewhere).trip("foreign")) }
    }
    #expect(try await database.get(trip) { $0.days } == 7)
    let error = await #expect(throws: SwiftDataError.modelOfAnotherContext) {
      try await database.withModelContext { try $0.save() }
    }
    #expect(error?.explanation?.split(separator: "\n").count == 1)
    try await database.withModelContext { try $0.save() }
  }
}
