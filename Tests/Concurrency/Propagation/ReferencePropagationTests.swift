import SwiftData
import Testing

@Model private class Vessel {
  var name: String
  @Relationship(inverse: nil) var harbour: Harbour?

  init(_ name: String) { self.name = name }
}

@Model private final class Ferry: Vessel {
  @Relationship(deleteRule: .cascade, inverse: \Cabin.ferry) var cabins: [Cabin] = []
  @Relationship(deleteRule: .cascade, inverse: nil) var galley: Galley?

  override init(_ name: String) { super.init(name) }
}

@Model private final class Cabin {
  var number: Int
  var ferry: Ferry?

  init(_ number: Int) { self.number = number }
}

@Model private final class Galley {
  var cook: String

  init(_ cook: String) { self.cook = cook }
}

@Model private final class Harbour {
  var name: String

  init(_ name: String) { self.name = name }
}

private let vesselModels: [any PersistentModel.Type] = [
  Vessel.self, Ferry.self, Cabin.self, Galley.self, Harbour.self,
]

@Suite(
  "Rows that the store deletes, and references that the store clears, because of delete rules",
  .timeLimit(.minutes(10)))
struct ReferencePropagationTests {
  private func listen(_ context: ModelContext) throws { _ = try context.fetchCount(FetchDescriptor<Traveller>()) }

  /// Deletes a trip in a second context, which has not read the stop that the first context added to the trip.
  private func deleteUnknowing(_ store: TestStore, _ here: ModelContext) throws -> (Stop, ModelContext) {
    try store.save("Oslo")
    let there = store.context()
    let theirs = try there.trip("Oslo")
    #expect(theirs.stops.isEmpty)
    let stop = Stop("Bergen")
    try here.trip("Oslo").stops = [stop]
    try here.save()
    there.delete(theirs)
    try there.save()
    return (stop, there)
  }

  @Test(
    "objects of rows that a cascade deleted become deleted in every context, after its next operation",
    arguments: Engine.allCases)
  func cascade(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let here = store.context()
    let (stop, there) = try deleteUnknowing(store, here)
    #expect(try store.context().fetchCount(FetchDescriptor<Stop>()) == 0)
    #expect(here.model(for: stop.persistentModelID).isDeleted)
    #expect(stop.isDeleted)
    #expect(here[stop.persistentModelID, as: Stop.self] == nil)
    stop.place = "Moss"
    try here.save()
    #expect(!there.hasChanges)
  }

  @Test(
    "objects of rows that a cascade deleted become deleted in the context that deleted the owner",
    arguments: Engine.allCases,
    [false, true])
  func ownContext(_ engine: Engine, inTransaction: Bool) throws {
    let store = try TestStore(engine)
    try store.save("Oslo")
    let (here, there) = (store.context(), store.context())
    let mine = try here.trip("Oslo")
    #expect(mine.stops.isEmpty)
    let free = Stop("Bergen")
    here.insert(free)
    try here.save()
    let theirs = try #require(try there.fetch(FetchDescriptor<Stop>()).first)
    theirs.trip = try there.trip("Oslo")
    try there.save()
    func delete() throws {
      here.delete(mine)
      try here.save()
      #expect(free.isDeleted)
    }
    if inTransaction {
      #expect(throws: Failure.self) {
        try here.transaction {
          try delete()
          throw Failure()
        }
      }
      #expect(!mine.isDeleted && !free.isDeleted)
      #expect(free.trip === mine && mine.stops == [free])
    }
    try delete()
    #expect(here.registeredModel(for: free.persistentModelID) as Stop? == nil)
    try listen(there)
    #expect(theirs.isDeleted)
  }

  @Test("the next save discards unsaved changes of objects whose rows a cascade deleted", arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let here = store.context()
    let (stop, _) = try deleteUnknowing(store, here)
    stop.place = "Moss"
    try listen(here)
    #expect(!stop.isDeleted)
    try here.save()
    #expect(stop.isDeleted && here.resolvedConflicts.map(\.kind) == [.deletedElsewhere])
  }

  @Test("other contexts apply the cascades of a committed transaction", arguments: Engine.allCases)
  func transaction(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Oslo")
    let (here, there) = (store.context(), store.context())
    let theirs = try there.trip("Oslo")
    #expect(theirs.stops.isEmpty)
    let stop = Stop("Bergen")
    try here.trip("Oslo").stops = [stop]
    try here.save()
    try there.transaction { there.delete(theirs) }
    try listen(here)
    #expect(stop.isDeleted)
  }

  @Test("references that the store sets to NULL become nil in memory", arguments: Engine.allCases, [false, true])
  func cleared(_ engine: Engine, byPredicate: Bool) throws {
    let store = try TestStore(engine, vesselModels)
    let (here, there) = (store.context(), store.context())
    let vessel = Vessel("Fram")
    vessel.harbour = Harbour("Oslo")
    here.insert(vessel)
    try here.save()
    // The harbour has no inverse relationship, and the deleting context has not read the vessel. So only the store can
    // clear the vessel's reference.
    if byPredicate {
      try there.delete(model: Harbour.self)
    } else {
      for harbour in try there.fetch(FetchDescriptor<Harbour>()) { there.delete(harbour) }
    }
    try there.save()
    let flag = changeFlag { _ = vessel.harbour }
    _ = try here.fetchCount(FetchDescriptor<Cabin>())
    #expect(vessel.harbour == nil)
    #expect(flag.isRaised)
    vessel.name = "Gjøa"
    here.conflictPolicy = .throwError
    try here.save()
  }

  @Test("a batch deletion of the base class deletes the rows that subclasses own", arguments: Engine.allCases)
  func subclass(_ engine: Engine) throws {
    let store = try TestStore(engine, vesselModels)
    let (here, there) = (store.context(), store.context())
    let ferry = Ferry("Kronprins")
    let cabin = Cabin(1)
    ferry.cabins = [cabin]
    ferry.galley = Galley("Ada")
    here.insert(ferry)
    try here.save()
    let galley = try #require(ferry.galley)
    try there.delete(model: Vessel.self)
    try there.save()
    _ = try here.fetchCount(FetchDescriptor<Harbour>())
    #expect(ferry.isDeleted && cabin.isDeleted && galley.isDeleted)
    #expect(try store.context().fetchCount(FetchDescriptor<Cabin>()) == 0)
    #expect(try store.context().fetchCount(FetchDescriptor<Galley>()) == 0)
  }

  @Test(
    "objects of rows that a batch deletion deleted by cascade become deleted in all contexts",
    arguments: Engine.allCases)
  func batch(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let (here, there) = (store.context(), store.context())
    let trip = Trip("Oslo")
    trip.stops = [Stop("Bergen")]
    trip.travellers = [Traveller("Ada")]
    here.insert(trip)
    try here.save()
    let (stop, traveller) = (trip.stops[0], trip.travellers[0])
    #expect(traveller.trips == [trip])
    try there.delete(model: Trip.self)
    try there.save()
    try listen(here)
    #expect(trip.isDeleted && stop.isDeleted && !traveller.isDeleted)
    #expect(traveller.trips.isEmpty)
  }
}
