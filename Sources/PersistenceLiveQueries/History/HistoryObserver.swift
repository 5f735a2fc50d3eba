import Observation
import PersistenceContainer
import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport

/// Observes the history of a container's stores, and counts new transactions that match a filter. Apple's type.
///
/// A save of a context of this container notifies the observer at once. A save of another process is noticed within a
/// tenth of a second. The observer then reads the new transactions. It increases ``eventCounter`` if a transaction has
/// one of the ``authors`` and changed one of the ``observedModels``, or if that cannot be excluded: the transaction is
/// damaged, was deleted before it was read, or follows a change by a program that does not write to the history.
/// `ModelContext.fetchHistory(_:)` returns the changes. A failed read is repeated.
///
/// Any thread may use the observer. It is `Observable`, and changes the counter in the isolation in which it was
/// created, or in a separate task if there is none. It retains its container, and stops when it is released.
///
/// ```swift
/// let observer = try HistoryObserver(observedModels: [Trip.self], authors: ["sync"], modelContainer: container)
/// withObservationTracking {
///   print(observer.eventCounter)
/// } onChange: {
///   print("sync has changed trips")
/// }
/// // SELECT … FROM "_osd_history" WHERE number > ? ORDER BY number
/// ```
public final class HistoryObserver: Observable, Sendable {
  /// The container whose stores are observed. Apple's.
  public let modelContainer: ModelContainer
  /// The models whose changes count, including their subclasses; empty for all models. Apple's.
  public let observedModels: [any PersistentModel.Type]
  /// The authors whose transactions count; empty for all transactions, with or without an author. Apple's.
  public let authors: Set<String>

  private let registrar = ObservationRegistrar()
  private let count = Lock(0)
  private let watches: [HistoryWatch]

  /// Observes the stores of a container that have a history, even if only other processes record it. Apple's.
  ///
  /// - Parameters:
  ///   - historyTokens: The tokens after which transactions count, by store identifier; nil to count from now on. For a
  ///     store without a token in the dictionary, the greatest transaction ID that the other tokens contain for this
  ///     store is used. If there is none, the whole history of the store counts.
  ///   - observedModels: The models whose changes count; empty for all models.
  ///   - authors: The authors whose transactions count; empty for all authors.
  ///   - modelContainer: The container.
  ///   - isolation: The actor on which ``eventCounter`` changes. By default it is the isolation of the caller.
  /// - Throws: `SwiftDataError.invalidTransactionFetchRequest` if no store records or contains a history, or a token is
  ///   not that of a default store, `.historyTokenExpired` if transactions after a token have been deleted,
  ///   `.unknownSchema` for a model that the container does not have, and the error of a store.
  public convenience init(
    historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [],
    authors: Set<String> = [], modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(historyTokens, observedModels, authors, modelContainer)
    for watch in watches { Self.follow(watch, for: WeakHistoryObserver(self), in: isolation) }
  }

  private init(
    _ tokens: [String: any HistoryToken]?, _ models: [any PersistentModel.Type], _ authors: Set<String>,
    _ container: ModelContainer
  ) throws {
    modelContainer = container
    observedModels = models
    self.authors = authors
    watches = try HistoryWatch.watches(of: container.stores, behind: tokens, models, authors)
  }

  deinit {
    for watch in watches { watch.signal.end() }
  }

  /// The number of times that matching transactions were found. Several transactions found together count once.
  /// Apple's.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return count.withLock { $0 }
  }

  // MARK: Following

  /// Starts a task that waits for commits of a store until the observer is released or the store is closed. The task
  /// does not retain the actor, because the actor may retain the observer.
  private static func follow(_ watch: HistoryWatch, for reference: WeakHistoryObserver, in isolation: (any Actor)?) {
    Task { [weak isolation] in
      // The first read finds transactions that were committed before the task began to wait.
      repeat {
        guard watch.takeEvent() else { continue }
        await publish(reference, in: isolation)
      } while await watch.signal.next(isolation: nil) != nil
      watch.signal.end()
    }
  }

  private static func publish(_ reference: WeakHistoryObserver, in isolation: isolated (any Actor)?) {
    reference.observer?.noteEvent()
  }

  private func noteEvent() {
    registrar.withMutation(of: self, keyPath: \.eventCounter) { count.withLock { $0 += 1 } }
  }
}

/// A weak reference to an observer, so that the task that waits for commits does not keep the observer alive.
private struct WeakHistoryObserver: Sendable {
  weak let observer: HistoryObserver?

  init(_ observer: HistoryObserver) { self.observer = observer }
}
