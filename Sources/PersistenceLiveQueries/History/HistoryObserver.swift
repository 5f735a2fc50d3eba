import Observation
import PersistenceContainer
import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport

/// Counts how often the history of a container's stores has received transactions that match a filter. Apple's type.
///
/// The observer is notified of the saves of all contexts of the container at once and, within a tenth of a second, of
/// saves of other processes. Then it reads the new transactions of each store. ``eventCounter`` increases if a
/// transaction is of one of ``authors`` and changed one of ``observedModels``. It also increases for a transaction that
/// may be such a transaction, because it follows a gap, is damaged, or was deleted before it was read. The observer is
/// `Observable`; `ModelContext.fetchHistory(_:)` returns the changes. A failed read is repeated.
///
/// Any thread may use the observer. It publishes in the isolation in which it is created; without an isolation, in a
/// task of its own. It retains its container, and stops when it is released.
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

  /// Observes the stores of a container that have a history, kept by this process or by other processes. Apple's.
  ///
  /// - Parameters:
  ///   - historyTokens: The positions after which transactions count, by the identifiers of stores; nil to begin now. A
  ///     store that lacks a token begins at its last position in the given tokens, since a token may cover several
  ///     stores, or else at its first transaction.
  ///   - observedModels: The models whose changes count; none for every change.
  ///   - authors: The authors whose transactions count; none for every author.
  ///   - modelContainer: The container.
  ///   - isolation: Where ``eventCounter`` changes.
  /// - Throws: `SwiftDataError.invalidTransactionFetchRequest` if no store keeps or has a history, or a token is not
  ///   one of a default store, `.historyTokenExpired` if transactions after a token have been deleted, `.unknownSchema`
  ///   for a model that the container does not have, and the error of a store.
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

  /// How often matching transactions have arrived. Apple's. Several that arrive at once may count as one.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return count.withLock { $0 }
  }

  // MARK: Following

  /// Follows a store until the observer is released or the store is closed. The observing actor is not retained,
  /// because it may own the observer.
  private static func follow(_ watch: HistoryWatch, for reference: WeakHistoryObserver, in isolation: (any Actor)?) {
    Task { [weak isolation] in
      // Transactions since the watch began are read first.
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

/// A weak reference to an observer, for the task that waits for commits: the observer may be deallocated meanwhile.
private struct WeakHistoryObserver: Sendable {
  weak let observer: HistoryObserver?

  init(_ observer: HistoryObserver) { self.observer = observer }
}
