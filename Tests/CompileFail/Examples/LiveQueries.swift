// The examples of live queries, in documentation comments and in docs/live-queries.md.
import OpenSwiftData

@Model @ModelValue final class Trip {
  var name: String
  var days = 0
  var country = ""
  init(name: String) { self.name = name }
}

@Model final class Book {
  var title: String
  var genre = ""
  init(title: String) { self.title = title }
}

struct Client {
  func send(_ trips: [Trip.Value]) async throws {}
}

// MARK: Observers

func observing(_ context: ModelContext) throws {
  let observer = try ResultsObserver<Trip, Never>(
    filterBy: #Predicate { $0.days > 5 }, sortBy: [SortDescriptor(\.name)], modelContext: context)
  withObservationTracking {
    print(observer.results.map(\.name))
  } onChange: {
    print("other trips, or another order")
  }
}

func sections(_ context: ModelContext) throws {
  let observer = try ResultsObserver<Book, String>(sectionBy: \.genre, modelContext: context)
  for section in observer.sections ?? .init() { print(section.title, section.count) }
}

@MainActor final class TripList {
  let observer: ResultsObserver<Trip, Never>

  init(_ container: ModelContainer) throws {
    observer = try ResultsObserver(
      filterBy: #Predicate { $0.days > 5 }, sortBy: [SortDescriptor(\.name)], modelContext: container.mainContext)
  }

  func show() {
    withObservationTracking {
      print(observer.results.map(\.name))
    } onChange: {
      Task { await self.show() }
    }
  }
}

func countries(_ context: ModelContext) throws {
  let byCountry = try ResultsObserver<Trip, String>(
    sortBy: [SortDescriptor(\.name)], sectionBy: \.country, modelContext: context)
  for section in byCountry.sections ?? SectionedResults() {
    print(section.title, section.map(\.name))
  }
}

// MARK: Sequences

func show(_ trips: [Trip.Value]) {}

func send(_ trips: [Trip.Value]) async throws {}

func sending(_ database: ModelDatabase, to client: Client) async throws {
  for try await trips in database.values(of: FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])) {
    try await client.send(trips)
  }
  for try await trips in database.values(of: FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])) {
    try await send(trips)
  }
}

func showing(_ database: ModelDatabase) async throws {
  for try await trips in database.values(of: FetchDescriptor<Trip>()) { show(trips) }
}

func counting(_ database: ModelDatabase) async throws {
  for try await trips in database.references(of: FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 5 })) {
    print(trips.count)
  }
}

func watching(_ container: ModelContainer) async throws {
  for try await changes in container.changes(of: Trip.self) {
    print(changes.inserted.count, changes.updated.count, changes.deleted.count)
  }
}
