import PersistenceContainer
import PersistenceContext
import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport

/// The place of an observer in the history of one store, and which transactions behind it concern the observer.
/// Thread-safe.
final class HistoryWatch: Sendable {
  let signal: ChangeSignal
  private let store: StoreCoordinator
  private let engine: any HistoryEngine
  /// The classes whose changes count; nil for all.
  private let types: Set<ObjectIdentifier>?
  private let authors: Set<String>
  /// The number of the last transaction that has been seen.
  private let position: Lock<Int64>

  /// Begins to watch the stores of a container that keep a history.
  ///
  /// - Parameters:
  ///   - tokens: The places to begin at, by the identifiers of stores; nil for the present.
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
    do {
      for store in stores.stores where store.keepsHistory {
        guard let engine = store.engine as? any HistoryEngine else { continue }
        let watch = HistoryWatch(store, engine, types: models.isEmpty ? nil : types, authors: authors)
        watches.append(watch)
        try watch.begin(behind: tokens)
      }
      if watches.isEmpty { throw HistorySearch.missingError }
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
    position = Lock(0)
    // Every commit: the record says more exactly than its news what it changed.
    signal = ChangeSignal(.everything, in: store)
  }

  private func begin(behind tokens: [String: any HistoryToken]?) throws {
    var request = HistoryRequest()
    request.limit = 1
    guard let tokens else {
      request.after = .max
      let last = try engine.history(request, in: nil).last
      return position.withLock { $0 = last }
    }
    let number = try number(in: tokens)
    request.after = number
    let extract = try engine.history(request, in: nil)
    if number > 0 { try HistorySearch.requireAll(behind: number, of: store, extract) }
    position.withLock { $0 = number }
  }

  private func number(in tokens: [String: any HistoryToken]) throws -> Int64 {
    guard let token = tokens[engine.identifier] else { return 0 }
    if let token = token as? DefaultHistoryToken { return token.number(of: engine.identifier) }
    throw SwiftDataError(
      .invalidTransactionFetchRequest,
      "The token for the store at \(engine.location) is a \(type(of: token)), and its history has tokens of the type "
        + "DefaultHistoryToken.")
  }

  // MARK: Events

  /// Whether the history has transactions that concern the observer and that it has not seen. From then on it has.
  ///
  /// An error is logged: the next commit asks for the same transactions.
  func takeEvent() -> Bool {
    do {
      return try position.withLock { try takeEvent(behind: &$0) }
    } catch {
      store.logger.error(
        "an observer of the history of the store at \(engine.location) could not read it, the next commit tries again: \(error)"
      )
      return false
    }
  }

  private func takeEvent(behind position: inout Int64) throws -> Bool {
    var request = HistoryRequest()
    request.after = position
    let extract = try engine.history(request, in: nil)
    // What has been deleted unseen may have been anything. A smaller number is that of an older store, put back.
    let isUnknown = !extract.isComplete || extract.last < position
    position = extract.last
    return isUnknown || extract.entries.contains(where: concerns)
  }

  private func concerns(_ entry: HistoryEntry) -> Bool {
    guard authors.isEmpty || entry.author.map(authors.contains) ?? false else { return false }
    guard let types else { return true }
    // Another program has committed before it, and may have changed anything.
    if entry.followsGap { return true }
    // So may have what a record says that another program has damaged.
    guard let groups = HistoryRecord.Group.groups(in: entry.changes) else { return true }
    return groups.contains { group in
      store.layout(knownAs: group.entity).map { types.contains(ObjectIdentifier($0.modelType)) } ?? false
    }
  }
}
