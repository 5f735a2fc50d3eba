import Dispatch
import PersistenceContainer
import PersistenceContext
import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport

/// The position of an observer in the history of one store, and the filter for the transactions after it. Thread-safe.
final class HistoryWatch: Sendable {
  /// The progress of reading, and of failed reads.
  private struct ReadProgress {
    /// The number of the last transaction that was read.
    var number: Int64 = 0
    /// The number of consecutive failed reads.
    var failureCount = 0
    /// The number of consecutive reads that found uncommitted saves.
    var openCount = 0
    /// Whether the next attempt is scheduled.
    var awaitsRetry = false
  }

  /// The number of records in one read, so that memory does not grow with the number of unread records.
  private static let batchSize: Int64 = 256
  /// The pause after a failed read. It doubles with each further one, up to ten seconds.
  private static let firstPause = 40
  private static let longestPause = 10_000

  let signal: ChangeSignal
  private let store: StoreCoordinator
  private let engine: any HistoryEngine
  /// The classes whose changes count; nil for all.
  private let types: Set<ObjectIdentifier>?
  private let authors: Set<String>
  private let progress = Lock(ReadProgress())

  /// Begins to watch the stores of a container, including those whose history only other processes keep.
  ///
  /// - Parameters:
  ///   - tokens: The positions to begin at, by the identifiers of stores; nil for the present.
  ///   - models: The models whose changes count; none for all.
  ///   - authors: The authors whose transactions count; none for all.
  /// - Throws: The errors of the observer's initialiser. Nothing is watched then.
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
    // The signal watches every commit: the record describes the changes more exactly than the notification.
    signal = ChangeSignal(.everything, in: store)
  }

  /// Sets the position to begin at. Returns an extract of the history with at most one record.
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

  /// The number in the token of the store, or else the greatest number for it in tokens of other stores: a token covers
  /// all stores that it names.
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

  /// Whether the history has matching transactions that the observer has not seen. The call marks them as seen.
  ///
  /// If a read fails, the log reports the error. The same transactions are read again after a pause or a commit.
  func takeEvent() -> Bool {
    progress.withLock { progress in
      do {
        var isOpen = false
        let isFound = try findEvent(behind: &progress.number, isOpen: &isOpen)
        progress.failureCount = 0
        progress.openCount = isOpen ? progress.openCount + 1 : 0
        // Records of open saves become readable when the saves end, possibly without a notification.
        if isOpen { lookAgain(&progress, after: Self.pause(progress.openCount - 1)) }
        return isFound
      } catch {
        retryLater(&progress, after: error)
        return false
      }
    }
  }

  /// - Parameter isOpen: Set to whether more records may appear without a notification of a commit.
  private func findEvent(behind number: inout Int64, isOpen: inout Bool) throws -> Bool {
    while true {
      var request = HistoryRequest()
      request.after = number
      // Limited by number instead of count, because the store counts all records of the range.
      let (end, isOver) = number.addingReportingOverflow(Self.batchSize)
      request.through = isOver ? .max : end
      let extract = try engine.history(request, in: nil)
      isOpen = extract.isOpen
      // Deleted unread records may have matched. A smaller last number means that an older store was restored.
      let isUnknown = !extract.isComplete || extract.last < number
      if isUnknown || extract.entries.contains(where: concerns) {
        // The remaining records are skipped, because they would be part of the same event.
        number = extract.last
        return true
      }
      number = min(extract.last, request.through ?? .max)
      if number == extract.last { return false }
    }
  }

  /// Tries again after a pause: the cause of the failure may disappear without a commit.
  private func retryLater(_ progress: inout ReadProgress, after error: any Error) {
    if progress.failureCount == 0 {
      store.logger.error(
        "an observer of the history of the store at \(engine.location) could not read it and tries again: \(error)")
    }
    lookAgain(&progress, after: Self.pause(progress.failureCount))
    progress.failureCount += 1
  }

  private static func pause(_ count: Int) -> Int { min(longestPause, firstPause << min(count, 8)) }

  /// Sets the signal after some milliseconds.
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
    // Before this record, another program committed without a record: it may have changed anything, without an author.
    if entry.followsGap { return true }
    let isOfAuthor = authors.isEmpty || entry.author.map(authors.contains) ?? false
    if isOfAuthor, types == nil { return true }
    // A damaged record may be of any author and have contained any change.
    guard let groups = HistoryRecord.Group.groups(in: entry.changes) else { return true }
    guard isOfAuthor, let types else { return false }
    return groups.contains { group in
      store.layout(knownAs: group.entity).map { types.contains(ObjectIdentifier($0.modelType)) } ?? false
    }
  }
}
