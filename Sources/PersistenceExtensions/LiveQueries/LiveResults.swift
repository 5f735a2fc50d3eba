import PersistenceContext
import PersistenceLiveQueries
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// The results of a query, delivered again each time they change. Ours.
///
/// An asynchronous sequence of Sendable values. Each iteration reads separately. The first `next()` returns the current
/// results; each later call waits until the results differ from the previous ones. Between two calls, no data is read
/// and no results are queued: a slow consumer skips to the latest results.
///
/// A loop ends when its task is cancelled. It throws the errors of a fetch, and an error if the container is closed.
/// An iteration watches the store only from its first `next()` to its end.
///
/// ```swift
/// for try await trips in database.values(of: FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])) {
///   try await client.send(trips)
/// }
/// ```
public struct LiveResults<Element: Sendable & Equatable>: AsyncSequence, Sendable {
  /// Starts watching the store.
  let watch: @Sendable () async throws -> ChangeSignal
  /// Reads the results.
  let read: @Sendable () async throws -> Element

  /// Creates an iteration, which reads the results independently of other iterations.
  ///
  /// - Returns: The iterator.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(watch: watch, read: read) }

  /// An iteration over the results. Not Sendable: one task uses it.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let watch: @Sendable () async throws -> ChangeSignal
    private let read: @Sendable () async throws -> Element
    private var subscription: Subscription?
    private var last: Element?
    private var hasEnded = false

    init(
      watch: @escaping @Sendable () async throws -> ChangeSignal, read: @escaping @Sendable () async throws -> Element
    ) {
      self.watch = watch
      self.read = read
    }

    /// The next results: first the current ones, then results that differ from the previous ones.
    ///
    /// - Returns: The results; nil at the end.
    /// - Throws: The errors of the fetch.
    public mutating func next() async throws -> Element? { try await next(isolation: nil) }

    /// The next results: first the current ones, then results that differ from the previous ones.
    ///
    /// - Parameter actor: The isolation of the caller.
    /// - Returns: The results; nil at the end, when the task is cancelled.
    /// - Throws: `SwiftDataError` of the predicate or of the store. This ends the iteration.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      guard !hasEnded else { return nil }
      do {
        if let element = try await different(isolation: actor) { return element }
      } catch is CancellationError {
      } catch {
        end()
        throw error
      }
      end()
      return nil
    }

    /// - Returns: The changed results; nil if the signal has ended without a change. Throws if the task is cancelled.
    private mutating func different(isolation actor: isolated (any Actor)?) async throws -> Element? {
      try Task.checkCancellation()
      if subscription == nil { subscription = Subscription(signal: try await watch()) }
      guard let signal = subscription?.signal else { return nil }
      var isOpen = true
      while isOpen {
        if last != nil { isOpen = await signal.next(isolation: actor) != nil }
        // If `isOpen` is false, the task is cancelled and this line throws, or the store is closed and the read throws.
        try Task.checkCancellation()
        let element = try await read()
        guard element != last else { continue }
        last = element
        return element
      }
      return nil
    }

    private mutating func end() {
      hasEnded = true
      subscription = nil
      last = nil
    }
  }
}

/// Stops watching when the iteration ends or when its iterator is deallocated.
final class Subscription: Sendable {
  let signal: ChangeSignal

  init(signal: ChangeSignal) { self.signal = signal }

  deinit { signal.end() }
}

extension Database {
  /// The models of a fetch as values, delivered again each time they change. Ours. Any actor may call it.
  ///
  /// The sequence reads committed data, like ``fetchValues(_:)``. The fetch runs again only after commits that insert
  /// or delete models, or change a property that the query or the values contain. Commits of other processes are
  /// noticed within 0.1 s.
  ///
  /// ```swift
  /// for try await trips in database.values(of: FetchDescriptor<Trip>()) { show(trips) }
  /// ```
  /// - Parameter descriptor: The predicate and the order.
  /// - Returns: The sequence of values.
  public func values<T: ValueReadable>(of descriptor: FetchDescriptor<T> = FetchDescriptor()) -> LiveResults<[T.Value]>
  {
    LiveResults(
      watch: { try await signal(for: descriptor, reading: T._$valuePositions) },
      read: { try await read { context in try context.fetchValues(descriptor) } })
  }

  /// References to the models of a fetch, delivered again each time they change. Ours. Any actor may call it.
  ///
  /// The sequence reads committed data, like ``fetch(_:)``. The fetch runs again only after commits that insert or
  /// delete models, or change a property that the predicate or the order reads.
  ///
  /// ```swift
  /// for try await trips in database.references(of: FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 5 })) {
  ///   print(trips.count)
  /// }
  /// ```
  /// - Parameter descriptor: The predicate and the order.
  /// - Returns: The sequence of references.
  public func references<T: PersistentModel>(
    of descriptor: FetchDescriptor<T> = FetchDescriptor()
  ) -> LiveResults<[Model<T>]> {
    LiveResults(
      watch: { try await signal(for: descriptor, reading: []) },
      read: { try await fetch(descriptor) })
  }

  /// Starts watching the rows and properties that a fetch reads.
  ///
  /// - Parameter positions: The properties that the results contain.
  private func signal<T: PersistentModel>(
    for descriptor: FetchDescriptor<T>, reading positions: [Int]
  ) async throws -> ChangeSignal {
    try await read { context in
      let map = try context.requireIdentityMap(for: T.self)
      var footprint = try context.footprint(of: descriptor)
      for position in positions { footprint.add(position, of: map.entity, map.store.layout(named:)) }
      return ChangeSignal(footprint, in: map.store)
    }
  }
}
