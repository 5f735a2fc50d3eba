import Dispatch
import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

/// An actor with a model context of its own. Apple's.
///
/// `@ModelActor` generates the conformance. An actor that declares the two properties of this protocol itself chooses
/// its context and its executor. The context and its models must not leave the actor; identifiers and values may.
///
/// ```swift
/// @ModelActor actor TripStore {
///   func add(_ name: String) throws -> PersistentIdentifier {
///     let trip = Trip(name: name)
///     modelContext.insert(trip)
///     try modelContext.save()
///     return trip.persistentModelID
///   }
/// }
/// ```
public protocol ModelActor: Actor {
  /// The container of the actor's context.
  nonisolated var modelContainer: ModelContainer { get }
  /// The executor that owns the context and runs the actor.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The executor that runs the actor's jobs: its ``modelExecutor``. Apple's.
  ///
  /// An actor needs a serial executor. All actors whose ``modelExecutor`` is not serial share one queue.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    modelExecutor.unownedSerialExecutor
  }

  /// The context of the actor. Apple's. Neither the context nor its models may leave the actor.
  public var modelContext: ModelContext { _$modelContext }

  /// The context of the actor. The static `modelContext` that the macro generates for a global actor reads it.
  public nonisolated var _$modelContext: ModelContext {
    let context = modelExecutor.modelContext
    context.inbox.live(in: self)
    if context.knownExecutor == nil { context.noteExecutor(of: self) }
    return context
  }

  /// The model with an identifier; nil if the store has no such row, or if the model is of another type. Apple's.
  ///
  /// - Parameters:
  ///   - id: The identifier, of this or any other context of the same store.
  ///   - type: The type of the model.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
    modelContext[id, as: type]
  }
}

// For an actor that is both a model and a model actor: both protocols declare `modelContext`, so the name is ambiguous.

extension ModelActor where Self: PersistentModel {
  /// The context that the actor, as a model, was inserted into; nil before its insertion and after its deletion. Ours.
  ///
  /// The context of the actor's executor is `modelExecutor.modelContext`.
  public var modelContext: ModelContext? { contextOfModel(self) }
}

/// The model's context. In the extension above, `model.modelContext` would call that extension's own property.
private func contextOfModel<T: PersistentModel>(_ model: T) -> ModelContext? { model.modelContext }

/// An executor that owns a model context and runs the code that uses it. Apple's.
public protocol ModelExecutor: Executor {
  /// The context. It is not Sendable: use it only in code that runs on the executor.
  var modelContext: ModelContext { get }
}

/// A model executor that runs one job at a time, as actors require. Apple's.
///
/// A ``DefaultSerialModelExecutor`` releases its context where its jobs run. An executor that the program defines
/// releases its context in its own `deinit`, which may run on any thread. To release it where the jobs run, let a job
/// hold the last reference to the executor.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

extension ModelExecutor {
  /// A serial executor for an actor: this executor if it is serial, or else a queue that all such actors share.
  var unownedSerialExecutor: UnownedSerialExecutor {
    // Every call of an actor reads this property. A cast to a class is much cheaper than a cast to a protocol.
    if let executor = self as? DefaultSerialModelExecutor { return executor.asUnownedSerialExecutor() }
    if let executor = self as? any SerialExecutor { return executor.asUnownedSerialExecutor() }
    return JobQueueExecutor.shared.asUnownedSerialExecutor()
  }
}

extension JobQueueExecutor {
  /// Runs all actors whose executors are not serial.
  fileprivate static let shared = JobQueueExecutor(JobQueue(label: "SwiftData.shared", target: nil))
}

// How a context finds the executor of the model actor that uses it.

extension ModelContext {
  /// Records the executor of a model actor, if the executor is serial. The executor may be a type of the program.
  func noteExecutor(of actor: some ModelActor) {
    if let executor = actor.modelExecutor as? any SerialExecutor { noteExecutor(executor) }
  }
}

extension ChangeInbox {
  /// Records that a model actor uses the context. Called on every access to `modelContext`, so it first checks a flag.
  func live(in actor: some ModelActor) {
    guard !isLive else { return }
    live { [weak actor] in
      guard let actor else { return false }
      Task { await actor.takeTurn() }
      return true
    }
  }
}

extension ModelActor {
  /// Applies the changes of other contexts to the actor's context, and runs an autosave that is due.
  func takeTurn() {
    modelExecutor.modelContext.takeTurn()
  }
}
