import SwiftData
import Testing

/// An actor with a fetched trip as a property.
@ModelActor private actor TripHolder {
  private var trip: Trip?

  func hold(_ name: String) throws { trip = try modelContext.trip(name) }

  var isDeleted: Bool? { trip?.isDeleted }
}

@Suite("Erasing a container", .timeLimit(.minutes(10)))
struct ErasureTests {
  private func listen(_ context: ModelContext) throws { _ = try context.fetchCount(FetchDescriptor<Traveller>()) }

  @Test("erasing marks the models of every context as deleted", arguments: Engine.allCases)
  func told(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Oslo", "Rome")
    let contexts = [store.context(), store.context()]
    let trips = try contexts.map { try $0.trip("Oslo") }
    let flag = changeFlag { _ = trips[0].name }
    try store.container.erase()
    for (context, trip) in zip(contexts, trips) {
      #expect(!trip.isDeleted)
      #expect(context.model(for: trip.persistentModelID).isDeleted)
      #expect(trip.isDeleted && trip.name == "Oslo" && trip.modelContext == nil)
    }
    #expect(flag.isRaised)
    try store.save("Paris")
    try store.reopen()
    #expect(try store.storedNames == ["Paris"])
  }

  @Test(
    "erasing keeps unsaved new models, and discards changes of erased models",
    arguments: Engine.allCases, [false, true])
  func pending(_ engine: Engine, hears: Bool) throws {
    let store = try TestStore(engine)
    try store.save("Oslo", "Rome", "Paris")
    let here = store.context()
    let (changed, deleted, kept) = (try here.trip("Oslo"), try here.trip("Rome"), try here.trip("Paris"))
    changed.days = 9
    here.delete(deleted)
    let (new, stop) = (Trip("Bonn"), Stop("Bergen"))
    here.insert(new)
    here.insert(stop)
    stop.trip = kept
    new.stops = [Stop("Cologne")]
    try store.container.erase()
    if hears { try listen(here) }
    #expect(here.insertedModelsArray.count == 3)
    try here.save()
    #expect([changed, deleted, kept].map(\.isDeleted) == [true, true, true])
    #expect(!new.isDeleted && stop.trip == nil && !here.hasChanges)
    #expect(try store.storedNames == ["Bonn"])
    #expect(try store.context().fetch(FetchDescriptor<Stop>()).map(\.place).sorted() == ["Bergen", "Cologne"])
  }

  @Test(
    "after erasing, a save of changed models throws if the conflict policy is throwError", arguments: Engine.allCases)
  func throwing(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Oslo")
    let here = store.context()
    here.conflictPolicy = .throwError
    try here.trip("Oslo").days = 9
    try store.container.erase()
    #expect(throws: SwiftDataError.conflictingChanges) { try here.save() }
    here.rollback()
    try here.save()
    #expect(try store.storedNames.isEmpty)
  }

  @MainActor
  @Test(
    "after erasing, models of the main context and of actors become deleted without a call from the program",
    arguments: Engine.allCases)
  func live(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    try store.save("Oslo")
    let trip = try store.container.mainContext.trip("Oslo")
    let holder = TripHolder(modelContainer: store.container)
    try await holder.hold("Oslo")
    store.container.deleteAllData()
    #expect(await eventually { trip.isDeleted })
    #expect(await eventually { await holder.isDeleted == true })
  }

  @Test(
    "erasing waits for a running transaction; the next save discards changes of erased models",
    arguments: [Engine.file])
  func transaction(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Oslo")
    let here = store.context()
    let trip = try here.trip("Oslo")
    try here.transaction {
      trip.days = 3
      try here.save()
      #expect(throws: SwiftDataError.storeBusy) { try quickly(store).erase() }
      #expect(!trip.isDeleted)
    }
    #expect(try store.context().trip("Oslo").days == 3)
    try store.container.erase()
    trip.days = 4
    try here.save()
    #expect(trip.isDeleted)
  }

  /// Opens the same file in a second container, whose busy timeout is short.
  private func quickly(_ store: TestStore) throws -> ModelContainer {
    var configuration = store.configuration
    configuration.busyTimeout = .milliseconds(20)
    return try ModelContainer(for: store.schema, configurations: [configuration])
  }
}
