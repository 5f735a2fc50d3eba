import Dispatch
import PersistenceContainer
import PersistenceContext
import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport

/// Reads the new transactions of one store for a ``HistoryObserver``, and tests them with the filter. Thread-safe.
final class HistoryWatch: Sendable {
  /// How far the history has been read, and how often reads have failed.
  private struct ReadProgress {
    /// The record number of the last transaction that was read.
    var number: Int64 = 0
    /// The number of consecutive failed reads.
    var failureCount = 0
    /// The number of consecutive reads that found record numbers reserved by saves that were not committed yet.
    var openCount = 0
    /// Whether another attempt is already scheduled.
    var awaitsRetry = false
  }

  /// The maximum number of records in one read. It limits the memory that many unread records take.
  private static let batchSize: Int64 = 256
  /// The pause after a failed read, in milliseconds. It doubles with each further failure, up to ten seconds.
  private static let firstPause = 40
  private static let longestPause = 10_000

  let signal: ChangeSignal
  private let store: StoreCoordinator
  private let engine: any HistoryEngine
  /// The classes whose changes count; nil for all.
  private let types: Set<ObjectIdentifier>?
  private let authors: Set<String>
  private let progress = Lock(ReadProgress())

  /// Begins to watch the stores of a container, including stores whose history only other processes write.
  ///
  /// - Parameters:
  ///   - tokens: The tokens after which transactions count, by store identifier; nil to begin now.
  ///   - models: The models whose changes count; empty for all.
  ///   - authors: The authors whose transactions count; empty for all.
  /// - Throws: The errors of the initialiser of ``HistoryObserver``. In that case no store is watched.
  static func watches(
    of stores: ContainerStores, behind tokens: [String: any HistoryToken]?, _ models: [any PersistentModel.Type],
    _ authors: Set<String>
  ) throws -> [HistoryWatch] {
    let types = try Set(
      models.flatMap { model -> [ObjectIdentifier] in
        guard let (_, entity) = stores.layout(of: model) else { throw stores.unknownModel(model) }
        return entity.familyTypes
      })
    var watches: [HistoryWatch] = []
    var isFound = false
    do {
      for store in stores.stores {
        guard let engine = store.engine as? any HistoryEngine else { continue }
        let watch = HistoryWatch(store, engine, types: models.isEmpty ? nil : types, authors: authors)
        watches.append(watch)
        let extract = try watch.begin(behind: tokens)
        if HistorySearch.hasHistory(store, extract) { isFound = true }
      }
      if !isFound { throw MissingHistory.errorOfObserver(of: stores.stores) }
    } catch {
      for watch in watches { watch.signal.end() }
      throw error
    }
    return watches
  }

  private init(
    _ store: StoreCoordinator, _ engine: any HistoryEngine, types: Set<ObjectIdentifier>?, authors: Set<String>
  ) {
    self.store = store
    self.engine = engine
    self.types = types
    self.authors = authors
    // The signal reports every commit. The filter tests the history record, because a notification contains no author.
    signal = ChangeSignal(.everything, in: store)
  }

  /// Sets the number of the last record that counts as read. Returns at most one record of the history.
  private func begin(behind tokens: [String: any HistoryToken]?) throws -> HistoryExtract {
    var request = HistoryRequest()
    request.limit = 1
    request.after = try tokens.map(number) ?? .max
    let extract = try engine.history(request, in: nil)
    if tokens == nil {
      progress.withLock { $0.number = extract.last }
    } else {
      if request.after > 0 { try HistorySearch.requireAll(behind: request.after, of: store, extract) }
      progress.withLock { $0.number = request.after }
    }
    return extract
  }

  /// The ID after which transactions of this store count. It is the ID in the store's own token or, if there is none,
  /// the greatest ID that the tokens of other stores contain for this store.
  private func number(in tokens: [String: any HistoryToken]) throws -> Int64 {
    guard let token = tokens[engine.identifier] else {
      return tokens.values.compactMap { ($0 as? DefaultHistoryToken)?.number(of: engine.identifier) }.max() ?? 0
    }
    if let token = token as? DefaultHistoryToken { return token.number(of: engine.identifier) }
    throw SwiftDataError(
      .invalidTransactionFetchRequest,
      "The token for the store at \(engine.location) is a \(type(of: token)), and its history has tokens of the type "
        + "DefaultHistoryToken.")
  }

  // MARK: Events

  /// Reads the new transactions, and returns true if one of them matches the filter.
  ///
  /// If the read fails, logs the error and returns false. The transactions are read again after a pause, or after the
  /// next commit.
  func takeEvent() -> Bool {
    progress.withLock { progress in
      do {
        var isOpen = false
        let isFound = try findEvent(behind: &progress.number, isOpen: &isOpen)
        progress.failureCount = 0
        progress.openCount = isOpen ? progress.openCount + 1 : 0
        // The records of uncommitted saves appear when the last such save ends. Its rollback sends no notification.
        if isOpen { lookAgain(&progress, after: Self.pause(progress.openCount - 1)) }
        return isFound
      } catch {
        retryLater(&progress, after: error)
        return false
      }
    }
  }

  /// - Parameter isOpen: Set to true if uncommitted saves may still add records, possibly without a notification.
  private func findEvent(behind number: inout Int64, isOpen: inout Bool) throws -> Bool {
    while true {
      var request = HistoryRequest()
      request.after = number
      // Limits the range of numbers, not the record count: the store counts the range's records to find missing ones.
      let (end, isOver) = number.addingReportingOverflow(Self.batchSize)
      request.through = isOver ? .max : end
      let extract = try engine.history(request, in: nil)
      isOpen = extract.isOpen
      // A record that was deleted before it was read may have matched. The number of the last record decreases only if
      // the store was restored from a backup.
      let isUnknown = !extract.isComplete || extract.last < number
      if isUnknown || extract.entries.contains(where: concerns) {
        // The remaining records are skipped, because all records of one read count as one event.
        number = extract.last
        return true
      }
      number = min(extract.last, request.through ?? .max)
      if number == extract.last { return false }
    }
  }

  /// Schedules another read after a failure, whose cause may disappear without a commit.
  private func retryLater(_ progress: inout ReadProgress, after error: any Error) {
    if progress.failureCount == 0 {
      store.logger.error(
        "an observer of the history of the store at \(engine.location) could not read it and tries again: \(error)")
    }
    lookAgain(&progress, after: Self.pause(progress.failureCount))
    progress.failureCount += 1
  }

  private static func pause(_ count: Int) -> Int { min(longestPause, firstPause << min(count, 8)) }

  /// After some milliseconds, wakes the task that waits for commits, so that it reads the history again.
  private func lookAgain(_ progress: inout ReadProgress, after pause: Int) {
    guard !progress.awaitsRetry else { return }
    progress.awaitsRetry = true
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self] in
      guard let self else { return }
      self.progress.withLock { $0.awaitsRetry = false }
      signal.receive(CommittedChanges(unspecified: [], meansAll: true))
    }
  }

  private func concerns(_ entry: HistoryEntry) -> Bool {
    // Before this record, another program changed the database without a record. It may have changed anything.
    if entry.followsGap { return true }
    let isOfAuthor = authors.isEmpty || entry.author.map(authors.contains) ?? false
    if isOfAuthor, types == nil { return true }
    // A record that cannot be parsed may have contained any change.
    guard let groups = HistoryRecord.Group.groups(in: entry.changes) else { return true }
    guard isOfAuthor, let types else { return false }
    return groups.contains { group in
      store.layout(knownAs: group.entity).map { types.contains(ObjectIdentifier($0.modelType)) } ?? false
    }
  }
}
