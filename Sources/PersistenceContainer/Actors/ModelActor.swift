import PersistenceContext
import PersistenceRuntime

/// An actor with a context of its own, on whose executor it runs.
///
/// `@ModelActor` writes the conformance. An actor that declares its two properties by hand chooses its context and where
/// it runs.
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
  /// The container that the context is of.
  nonisolated var modelContainer: ModelContainer { get }
  /// What has the context, and runs the actor.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// Where the actor runs: where its executor says.
  ///
  /// An actor runs one job at a time, which an executor that is not serial cannot promise. Actors with such an executor
  /// share one queue of their own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    modelExecutor.unownedSerialExecutor
  }

  /// The context of the actor. It and its models stay in the actor.
  public var modelContext: ModelContext { _$modelContext }

  /// The context, for the static property of a global actor too.
  public nonisolated var _$modelContext: ModelContext {
    let context = modelExecutor.modelContext
    context.inbox.live(in: self)
    if context.knownExecutor == nil { context.noteExecutor(of: self) }
    return context
  }

  /// The model of an identifier, or nil when there is no such row or it is of another type.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
    modelContext[id, as: type]
  }
}
