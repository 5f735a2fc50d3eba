import Foundation
import PersistenceContext
import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// Returns the transactions of saves of all contexts and processes. Apple's.
  ///
  /// Transactions are in chronological order; the transactions of one store are in the order of their commits. Store
  /// the token of the last transaction, and use it the next time to fetch only later ones. Unsaved changes are not part
  /// of the history. Call it only on the context's actor or thread.
  ///
  /// ```swift
  /// let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
  /// for transaction in try context.fetchHistory(descriptor) { print(transaction.author ?? "", transaction.changes.count) }
  /// // SELECT … FROM "_osd_history" WHERE number > ? ORDER BY number
  /// ```
  /// - Parameter descriptor: Describes the transactions.
  /// - Returns: The transactions.
  /// - Throws: `SwiftDataError.historyTokenExpired` if transactions after a token of the predicate have been deleted,
  ///   `.invalidTransactionFetchRequest` if no store keeps transactions of the type, and the error of the predicate or
  ///   of a store.
  public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
    beginReading()
    let own = try ownTransactions(descriptor)
    let isDefault = descriptor is HistoryDescriptor<DefaultHistoryTransaction>
    if let own, !isDefault || !stores.stores.contains(where: { $0.identities == nil }) { return own }
    let search = try HistorySearch(descriptor, in: self)
    guard let found = try search.transactions() as? [T] else { return own ?? [] }
    return (own ?? []) + found
  }

  /// Deletes transactions of the history, and the preserved values of the rows that they deleted. Apple's.
  ///
  /// Tokens that are older than a deleted transaction expire. Stores are changed one by one, each in one transaction;
  /// in ``transaction(block:)`` the deletions belong to that transaction. Call it only on the context's actor or
  /// thread.
  ///
  /// - Parameter descriptor: Describes the transactions.
  /// - Throws: `SwiftDataError.invalidTransactionFetchRequest` if no store keeps transactions of the type, and the
  ///   error of the predicate or of a store.
  public func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
    try requireNoWriting("deleteHistory()")
    var isFound = false
    for store in stores.stores {
      if let engine = store.engine as? any TransactionEngine, try engine.deleteTransactions(descriptor) {
        isFound = true
      }
    }
    let isDefault = descriptor is HistoryDescriptor<DefaultHistoryTransaction>
    if isFound, !isDefault || !stores.stores.contains(where: { $0.identities == nil }) { return }
    let search = try HistorySearch(descriptor, in: self)
    for (store, numbers) in try search.numbers() where !numbers.isEmpty {
      try write(to: store) { try ($0 as? any HistoryStoreTransaction)?.deleteHistory(numbers) }
    }
  }
}

extension ModelContext {
  /// The transactions of custom stores that match the descriptor; nil if no custom store keeps transactions of the
  /// type.
  fileprivate func ownTransactions<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    var found: [T]?
    for store in stores.stores {
      guard let engine = store.engine as? any TransactionEngine, let own = try engine.transactions(descriptor) else {
        continue
      }
      found = (found ?? []) + own
    }
    return found
  }
}

/// A search for transactions in the stores of a context.
package struct HistorySearch {
  private struct FoundRecord {
    let store: StoreCoordinator
    let entry: HistoryEntry
  }

  private let descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  private let conditions: HistoryConditions
  private let context: ModelContext

  /// - Throws: An error if no store of the context keeps transactions of the type.
  init<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>, in context: ModelContext) throws {
    guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      throw MissingHistory.error(of: T.self, in: context.stores.stores)
    }
    self.descriptor = descriptor
    self.conditions = HistoryConditions(descriptor.predicate)
    self.context = context
  }

  private var stores: [StoreCoordinator] { context.stores.stores }

  /// The maximum number of transactions; nil for all.
  private var limit: Int? { descriptor.fetchLimit == 0 ? nil : Int(clamping: descriptor.fetchLimit) }

  /// The transactions that match the descriptor, in its order.
  ///
  /// - Parameter requiresAll: Whether to throw if transactions after a token of the predicate have been deleted.
  func transactions(requiresAll: Bool = true) throws -> [DefaultHistoryTransaction] {
    let extracts = try extracts(requiresAll: requiresAll)
    var token = beginning(of: extracts)
    var decoders: [ObjectIdentifier: HistoryDecoder] = [:]
    for (store, extract) in extracts where !extract.entries.isEmpty {
      decoders[ObjectIdentifier(store)] = try HistoryDecoder(extract.entries, of: store, in: context)
    }
    var result: [DefaultHistoryTransaction] = []
    for found in inOrder(extracts) {
      let identifier = found.store.engine.identifier
      token[identifier] = max(token[identifier] ?? 0, found.entry.number)
      let transaction = DefaultHistoryTransaction(
        timestamp: Date(timeIntervalSinceReferenceDate: found.entry.time),
        changes: decoders[ObjectIdentifier(found.store)]?.changes(of: found.entry.number) ?? [],
        token: DefaultHistoryToken(token, of: identifier), store: identifier, entry: found.entry)
      if try conditions.matches(transaction) { result.append(transaction) }
    }
    if !descriptor.sortBy.isEmpty { result.sort(using: descriptor.sortBy) }
    return limit.map { Array(result.prefix($0)) } ?? result
  }

  /// The record numbers of the transactions that match the descriptor, by store.
  func numbers() throws -> [(store: StoreCoordinator, numbers: [Int64])] {
    guard !conditions.needsTransactions, limit == nil else {
      let found = try Dictionary(grouping: transactions(requiresAll: false), by: \.storeIdentifier)
      return stores.map { store in (store, found[store.engine.identifier]?.map(\.transactionIdentifier) ?? []) }
    }
    return try extracts(requiresAll: false).map { ($0.store, $0.extract.entries.map(\.number)) }
  }

  // MARK: Records

  private typealias Extract = (store: StoreCoordinator, extract: HistoryExtract)

  private func extracts(requiresAll: Bool) throws -> [Extract] {
    let extracts = try stores.map { store -> Extract in
      guard var request = conditions.request(of: store.engine.identifier) else { return (store, HistoryExtract()) }
      if !conditions.needsTransactions, let order = orderOfNumbers {
        (request.limit, request.takesLast) = (limit, order == .reverse)
      }
      guard let engine = store.engine as? any HistoryEngine else { return (store, HistoryExtract()) }
      let extract = try engine.history(request, in: context.openTransaction(of: store))
      if requiresAll, conditions.beginsAtToken {
        try Self.requireAll(behind: conditions.knownNumber(of: store.engine.identifier) ?? 0, of: store, extract)
      }
      return (store, extract)
    }
    guard extracts.contains(where: { Self.hasHistory($0.store, $0.extract) }) else {
      throw MissingHistory.error(of: DefaultHistoryTransaction.self, in: stores)
    }
    return extracts
  }

  /// The order in which the descriptor sorts the numbers of the records; nil if it sorts by something else.
  ///
  /// A limit then applies to the records of the store. If there are several stores, the token of a transaction also
  /// depends on the earlier records of the other stores, so all of them are read.
  private var orderOfNumbers: SortOrder? {
    guard let first = descriptor.sortBy.first else { return .forward }
    switch first.keyPath {
    case \DefaultHistoryTransaction.transactionIdentifier, \DefaultHistoryTransaction.id,
      \DefaultHistoryTransaction.token:
      return stores.count == 1 ? first.order : nil
    default: return nil
    }
  }

  /// Whether a store keeps a history, or has records because an earlier setting or another process kept one.
  package static func hasHistory(_ store: StoreCoordinator, _ extract: HistoryExtract) -> Bool {
    store.identities == nil && store.keepsHistory || extract.last > 0
  }

  /// - Parameter known: The record number in the token.
  /// - Throws: If records after the token were deleted, or if the token is newer than the last record, because the
  ///   store was restored from a backup that is older than the token.
  package static func requireAll(behind known: Int64, of store: StoreCoordinator, _ extract: HistoryExtract) throws {
    guard !extract.isComplete || known > extract.last else { return }
    let reason =
      known > extract.last
      ? "the token is from transaction \(known), and the last one is \(extract.last): the store is an older one, as one "
        + "that was restored from a backup"
      : "transactions behind number \(known) have been deleted"
    throw SwiftDataError(
      .historyTokenExpired,
      "The history of the store at \(store.engine.location) is incomplete: \(reason). Read everything anew, and go on with "
        + "the token of the last transaction.")
  }

  /// For each store, the record number after which the found records begin: the number in the program's token, or else
  /// one less than the number of the first record.
  private func beginning(of extracts: [Extract]) -> [String: Int64] {
    var token: [String: Int64] = [:]
    for (store, extract) in extracts {
      let identifier = store.engine.identifier
      let number = conditions.knownNumber(of: identifier) ?? extract.first.map { $0 - 1 } ?? extract.last
      if number > 0 { token[identifier] = number }
    }
    return token
  }

  /// The records of all stores, merged by time. The records of one store stay in the order of their numbers, because a
  /// clock may have been set back.
  private func inOrder(_ extracts: [Extract]) -> [FoundRecord] {
    var rest = extracts.map { (store: $0.store, entries: $0.extract.entries[...]) }
    var found: [FoundRecord] = []
    while true {
      let next = rest.indices.filter { !rest[$0].entries.isEmpty }.min { one, other in
        (rest[one].entries.first?.time ?? 0) < (rest[other].entries.first?.time ?? 0)
      }
      guard let next, let entry = rest[next].entries.popFirst() else { return found }
      found.append(FoundRecord(store: rest[next].store, entry: entry))
    }
  }
}
