import Dispatch
import OpenSwiftData
import Synchronization
import Testing

// Wrappers around contexts that existing programs have written themselves. All of them work with this library. The
// library offers a one-line replacement for each of them, which other tests use.

/// A global actor whose jobs run on its own executor.
@globalActor private actor TripActor {
  static let shared = TripActor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { TripExecutor.shared.asUnownedSerialExecutor() }
}

/// An executor that creates its context at its first use, on its own queue.
private final class TripExecutor: SerialExecutor, @unchecked Sendable {
  // Sendable without checks: only jobs on the queue use the context.
  static let shared = TripExecutor()
  private let queue = DispatchQueue(label: "trips")
  private var storedContext: ModelContext?

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  @TripActor func context(_ container: ModelContainer) -> TripContext {
    let context = storedContext ?? ModelContext(container)
    storedContext = context
    return TripContext(context)
  }

  @TripActor func forget() { storedContext = nil }
}

/// Wraps a context. The wrapper is isolated to the actor and therefore Sendable, so it may be passed to any code.
@TripActor private final class TripContext {
  private let context: ModelContext

  init(_ context: ModelContext) { self.context = context }

  func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] { try context.fetch(descriptor) }
  func save() throws { try context.save() }
  func insert(_ model: some PersistentModel) { context.insert(model) }
  func delete(_ model: some PersistentModel) { context.delete(model) }
}

/// A class with a model as a property. It is isolated to the actor, so the compiler accepts the property.
@TripActor private final class TripController {
  private var trip: Trip?
  private let container: ModelContainer

  init(_ container: ModelContainer) { self.container = container }

  func configure() throws {
    let context = TripExecutor.shared.context(container)
    let trip = Trip("Oslo")
    context.insert(trip)
    try context.save()
    self.trip = trip
  }

  func rename(_ name: String) throws {
    trip?.name = name
    try TripExecutor.shared.context(container).save()
  }

  func delete() throws {
    let context = TripExecutor.shared.context(container)
    for trip in try context.fetch(FetchDescriptor<Trip>()) { context.delete(trip) }
    try context.save()
    trip = nil
  }
}

/// A model actor with a single context, which the whole program shares.
@ModelActor private actor PersistentStoreActor {
  func withContext<T>(_ operation: @Sendable (ModelContext) throws -> T) async rethrows -> T {
    try operation(modelContext)
  }
}

/// A reference type that a program declares itself. The program's functions for it have the same names as the
/// library's.
private enum Own {
  struct Model<T: PersistentModel>: Sendable {
    let persistentIdentifier: PersistentIdentifier

    init(_ model: T) { persistentIdentifier = model.persistentModelID }
  }
}

extension ModelContext {
  fileprivate func persistentModel<T>(withID objectID: PersistentIdentifier) throws -> T? where T: PersistentModel {
    if let registered: T = registeredModel(for: objectID) { return registered }
    if let notRegistered = model(for: objectID) as? T { return notRegistered }
    var descriptor = FetchDescriptor<T>(predicate: #Predicate { $0.persistentModelID == objectID })
    descriptor.fetchLimit = 1
    return try fetch(descriptor).first
  }

  fileprivate func getOptional<T>(_ model: Own.Model<T>) throws -> T? {
    try persistentModel(withID: model.persistentIdentifier)
  }
}

@Suite("Hand-written actors around contexts", .serialized)
struct HandWrittenTests {
  @Test("a global actor with an executor can wrap a context", arguments: Engine.allCases)
  func globalActor(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let controller = await TripController(store.container)
    try await controller.configure()
    #expect(try store.storedNames == ["Oslo"])
    try await controller.rename("Bergen")
    #expect(try store.storedNames == ["Bergen"])
    try await controller.delete()
    #expect(try store.storedNames == [])
    await TripExecutor.shared.forget()
  }

  @Test("a model actor can run closures with its context", arguments: Engine.allCases)
  func withContext(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let actor = PersistentStoreActor(modelContainer: store.container)
    try await actor.withContext { context in
      let (trip, stop) = (Trip("Oslo"), Stop("Bergen"))
      context.insert(trip)
      context.insert(stop)
      stop.trip = trip
      try context.save()
    }
    #expect(try store.context().trip("Oslo").stops.map(\.place) == ["Bergen"])
  }

  @Test(
    "a program can declare its own reference type, and functions with the same names as the library's",
    arguments: Engine.allCases)
  func ownReference(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    try store.save("Oslo")
    let reference = Own.Model(try store.context().trip("Oslo"))
    let database = ModelDatabase(modelContainer: store.container)
    try await database.withModelContext { context in
      guard let trip = try context.getOptional(reference) else { throw Failure() }
      trip.days = 9
      try context.save()
    }
    #expect(try store.context().trip("Oslo").days == 9)
  }
}
