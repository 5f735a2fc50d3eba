import SwiftData

/// A global actor with an executor of its own, which runs its jobs and has its one context.
@globalActor
actor VaultActor {
  static let shared = VaultActor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { VaultExecutor.shared.asUnownedSerialExecutor() }
}

/// Another actor, to which everything of the vault is far away.
@globalActor
actor VisitorActor {
  static let shared = VisitorActor()
}

/// Runs the jobs of the vault in a queue, and makes the context there.
final class VaultExecutor: SerialExecutor, @unchecked Sendable {
  // Unchecked: the context is used in the queue only.
  static let shared = VaultExecutor()
  private let queue = DispatchQueue(label: "tests.vault")
  private var stored: ModelContext?

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func isIsolatingCurrentContext() -> Bool? { nil }

  /// The context; a program has one container, tests have one each.
  @VaultActor var context: VaultContext { VaultContext(stored) }

  @VaultActor func open(_ container: ModelContainer) { stored = ModelContext(container) }

  @VaultActor func close() { stored = nil }
}

/// The context in the hands of the actor: it may be passed anywhere, and is used with `await` elsewhere.
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

/// Belongs to the vault, and so may be held and passed anywhere.
@Model
@VaultActor
final class Coin {
  var name: String
  var worth: Int = 1

  init(_ name: String) { self.name = name }
}

/// A class of the vault that holds a model as a property.
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

/// An actor like any other, with a context and a model of it in its properties.
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
    // The rest may run on another thread.
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
