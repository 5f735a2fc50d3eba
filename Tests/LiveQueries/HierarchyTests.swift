import OpenSwiftData
import PersistenceCore
import Testing

@Model class Venue {
  var name: String
  var seats: Int

  init(_ name: String, seats: Int = 0) {
    self.name = name
    self.seats = seats
  }
}

@Model final class Stadium: Venue {
  var roof: Bool = false
  var pitches: Int = 1

  init(_ name: String, seats: Int, roof: Bool) {
    super.init(name, seats: seats)
    self.roof = roof
  }
}

@Model final class Hall: Venue {
  var floor: String = ""
  var courts: Int = 1

  override init(_ name: String, seats: Int = 0) { super.init(name, seats: seats) }
}

private let venues: [any PersistentModel.Type] = [Venue.self, Stadium.self, Hall.self]

@Suite("Live queries of classes with subclasses", .timeLimit(.minutes(10)))
struct HierarchyTests {
  @Test("the results of a superclass's query reflect changes of models of every subclass", arguments: Engine.allCases)
  func superclass(_ engine: Engine) throws {
    let store = try TestStore(engine, venues)
    let (context, other) = (store.context(), store.context())
    let large = try ResultsObserver<Venue, Never>(
      filterBy: #Predicate { $0.seats > 100 }, sortBy: [SortDescriptor(\.name)], modelContext: context)
    let roofed = try ResultsObserver<Stadium, Never>(filterBy: #Predicate { $0.roof }, modelContext: context)
    let stadium = Stadium("Arena", seats: 50, roof: false)
    other.insert(stadium)
    other.insert(Hall("Hall", seats: 200))
    try other.save()
    #expect(large.results.map(\.name) == ["Hall"])
    #expect(roofed.results.isEmpty)
    stadium.seats = 500
    try other.save()
    #expect(large.results.map(\.name) == ["Arena", "Hall"])
    stadium.roof = true
    try other.save()
    #expect(roofed.results.map(\.name) == ["Arena"])
    let mine = try #require(roofed.results.first)
    mine.roof = false
    #expect(roofed.results.isEmpty)
    context.rollback()
    #expect(roofed.results.count == 1)
    try other.delete(model: Venue.self, where: #Predicate { $0.name == "Arena" })
    try other.save()
    #expect(large.results.map(\.name) == ["Hall"])
    #expect(roofed.results.isEmpty)
  }

  @Test(
    "a query on a subclass does not run again after a change of a sibling class's property at the same index",
    arguments: Engine.sqlite)
  func siblings(_ engine: Engine) throws {
    let store = try TestStore(engine, venues)
    let (context, other) = (store.context(), store.context())
    let hall = Hall("Hall")
    other.insert(hall)
    try other.save()
    let roofed = try ResultsObserver<Stadium, Never>(filterBy: #Predicate { $0.roof }, modelContext: context)
    hall.floor = "wood"
    #expect(try other.savedChanges(concern: roofed) == false)
    other.insert(Hall("Other"))
    #expect(try other.savedChanges(concern: roofed) == false)
    other.insert(Stadium("Arena", seats: 1, roof: true))
    #expect(try other.savedChanges(concern: roofed))
  }

  @Test("a query on a superclass returns references to models of every subclass", arguments: Engine.allCases)
  func sequences(_ engine: Engine) async throws {
    let store = try TestStore(engine, venues)
    let database = ModelDatabase(modelContainer: store.container)
    var changes = store.container.changes(of: Venue.self).makeAsyncIterator()
    let stadium = try await database.insert { Stadium("Arena", seats: 50, roof: true) }
    let inserted = try #require(try await changes.next()).inserted
    #expect(inserted.map(\.persistentIdentifier) == [stadium.persistentIdentifier])
    var references = database.references(of: FetchDescriptor<Venue>()).makeAsyncIterator()
    #expect(try await references.next()?.map(\.persistentIdentifier) == [stadium.persistentIdentifier])
    try await database.delete(stadium)
    #expect(try await references.next()?.isEmpty == true)
  }
}

/// Counts the commits that change rows or properties which a query's footprint contains.
private final class NotingWatcher: ChangeWatcher {
  let footprint: Footprint
  let wantsKeys = false
  private let log = Log<Void>()

  init(_ footprint: Footprint) { self.footprint = footprint }

  var count: Int { log.entries.count }

  func receive(_ changes: CommittedChanges) { log.add(()) }

  func close() {}
}

extension ModelContext {
  /// Saves, and returns true if the commit makes the observer's query run again.
  fileprivate func savedChanges<T>(concern observer: ResultsObserver<T, Never>) throws -> Bool {
    let watchers = try #require(stores.stores.first).watchers
    let watcher = NotingWatcher(observer.footprint)
    _ = watchers.add(watcher)
    defer { watchers.remove(watcher) }
    try save()
    return watcher.count > 0
  }
}
