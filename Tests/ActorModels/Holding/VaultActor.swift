import SwiftData

/// A global actor with a custom executor, which runs the actor's jobs and owns the actor's only context.
@globalActor
actor VaultActor {
  static let shared = VaultActor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { VaultExecutor.shared.asUnownedSerialExecutor() }
}

/// A second global actor, whose code uses the vault with `await`.
@globalActor
actor VisitorActor {
  static let shared = VisitorActor()
}

/// Runs the vault's jobs on a dispatch queue, and creates the context in such a job.
final class VaultExecutor: SerialExecutor, @unchecked Sendable {
  // Sendable without checks: only jobs on the queue use the context.
  static let shared = VaultExecutor()
  private let queue = DispatchQueue(label: "tests.vault")
  private var stored: ModelContext?

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func isIsolatingCurrentContext() -> Bool? { nil }

  /// The vault's context. A program would open one container for the vault; here each test opens its own.
  @VaultActor var context: VaultContext { VaultContext(stored) }

  @VaultActor func open(_ container: ModelContainer) { stored = ModelContext(container) }

  @VaultActor func close() { stored = nil }
}

/// Isolates the context to the actor. Any code may hold this wrapper; code outside the actor uses it with `await`.
@VaultActor
final class VaultContext {
  private let context: ModelContext?

  init(_ context: ModelContext?) { self.context = context }

  func insert<T: PersistentModel & Sendable>(_ make: @VaultActor () -> T) throws -> T {
    let model = make()
    try opened.insert(model)
    return model
  }

  func fetch<T: PersistentModel & Sendable>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    try opened.fetch(descriptor)
  }

  func delete(_ model: some PersistentModel & Sendable) throws { try opened.delete(model) }
  func save() throws { try opened.save() }

  private var opened: ModelContext {
    get throws {
      guard let context else { throw Failure() }
      return context
    }
  }
}

/// A model that is isolated to the vault's actor and therefore Sendable: any code may hold it and pass it on.
@Model
@VaultActor
final class Coin {
  var name: String
  var worth: Int = 1

  init(_ name: String) { self.name = name }
}

/// A class of the vault's actor, which has a model as a property.
@VaultActor
final class Showcase {
  private var coin: Coin?

  func fill(_ name: String) throws {
    let context = VaultExecutor.shared.context
    coin = try context.insert { Coin(name) }
    try context.save()
  }

  func raise() throws -> Int? {
    coin?.worth += 1
    try VaultExecutor.shared.context.save()
    return coin?.worth
  }
}

/// An ordinary actor that has a context and one of its models as properties.
actor Collector {
  private var trip: Journey?
  private let context: ModelContext

  init(_ container: ModelContainer) { context = ModelContext(container) }

  func configure(_ name: String) throws {
    let trip = Journey(name)
    context.insert(trip)
    try context.save()
    self.trip = trip
  }

  func rename(_ name: String) async throws -> String? {
    trip?.name = name
    // After this line, the actor may run on another thread.
    await Task.yield()
    try context.save()
    return trip?.name
  }
}

@Model
final class Journey {
  var name: String

  init(_ name: String) { self.name = name }
}
