import PersistenceCore
import SwiftData

/// An engine that behaves like one on the other side of a network. Its rows are in another engine, `base`.
///
/// Its keys have gaps. The result of writing a row is known only after all rows were sent. The first error of the store
/// aborts the transaction. No statement can run while rows are being returned. ``RemoteLink`` adds latency, commits of
/// other connections, keys that do not increase, and the loss of the connection.
package final class RemoteEngine: StoreEngine {
  package let base: any StoreEngine
  package let link: RemoteLink
  /// For each table, the first key that was never reserved.
  private let unusedKeys = Lock<[String: Int64]>([:])
  private let busy = Lock<Set<Connection>>([])
  /// Whether closing this engine also closes `base`.
  private let ownsBase: Bool

  package init(_ base: any StoreEngine, link: RemoteLink, ownsBase: Bool = true) {
    self.base = base
    self.link = link
    self.ownsBase = ownsBase
  }

  package var identifier: String { base.identifier }
  package var location: String { base.location }
  package var allowsSave: Bool { base.allowsSave }
  package var readerCount: Int { base.readerCount }
  package var foreignChangeCount: Int64 { Int64(link.foreignCommitCount) }
  package var isReadingHere: Bool { base.isReadingHere }

  package var uncommittedReads: (any UncommittedReads)? { base.uncommittedReads }

  package func foreignRows(after count: Int64, through last: Int64) -> [ForeignRows]? {
    link.foreignRows(of: Int(count)..<Int(last))
  }

  package func close() {
    if ownsBase { base.close() }
  }

  // MARK: Reading

  package func fetch(
    _ request: FetchRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    try read(.fetch, in: transaction) { own in
      try base.fetch(request, in: own) { try handOver($0, in: transaction, body) }
    }
  }

  package func count(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> Int {
    try read(.count, in: transaction) { try base.count(request, in: $0) }
  }

  package func keys(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> [Int64] {
    try read(.keys, in: transaction) { try base.keys(request, in: $0) }
  }

  package func explain(
    _ request: FetchRequest, in transaction: (any StoreTransaction)?
  ) throws -> StatementExplanation {
    try read(.explain, in: transaction) { try base.explain(request, in: $0) }
  }

  package func aggregate(
    _ request: AggregateRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    try read(.aggregate, in: transaction) { own in
      try base.aggregate(request, in: own) { try handOver($0, in: transaction, body) }
    }
  }

  package func members(
    _ request: MemberRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    try read(.members, in: transaction) { own in
      try base.members(request, in: own) { try handOver($0, in: transaction, body) }
    }
  }

  package func pairs(
    of relationship: RelationshipLayout, in entity: EntityLayout, owners: [Int64], transaction: (any StoreTransaction)?
  ) throws -> [RelatedPair] {
    try read(.members, in: transaction) {
      try base.pairs(of: relationship, in: entity, owners: owners, transaction: $0)
    }
  }

  package var keepsHistory: Bool { base.keepsHistory }

  fileprivate func read<Result>(
    _ call: RemoteCall, in transaction: (any StoreTransaction)?, _ body: ((any StoreTransaction)?) throws -> Result
  ) throws -> Result {
    if let remote = transaction as? RemoteTransaction { return try remote.read(call, body) }
    try requireIdle(.thread(.current))
    try link.trip(call)
    return try body(transaction)
  }

  // MARK: Rows that are being returned

  package var nestsReads: Bool { false }

  /// The connection of a request. Each transaction has one, and so has each thread that reads outside of transactions.
  enum Connection: Hashable, Sendable {
    case thread(ThreadIdentity)
    case transaction(ObjectIdentifier)
  }

  /// Throws while the connection is returning rows. A connection to PostgreSQL, too, is busy until its last row has
  /// been read.
  func requireIdle(_ connection: Connection) throws {
    guard busy.withLock({ $0.contains(connection) }) else { return }
    throw SwiftDataError(.storeFailure, "The test's server was asked something while it handed over rows.")
  }

  fileprivate func handOver(
    _ rows: EngineRows, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    let connection = transaction.map { Connection.transaction(ObjectIdentifier($0)) } ?? .thread(.current)
    busy.withLock { _ = $0.insert(connection) }
    defer { busy.withLock { _ = $0.remove(connection) } }
    try body(rows)
  }

  // MARK: Changing

  package var keysRise: Bool { link.keys == nil }

  package func takeKeys(
    _ count: Int, for entity: EntityLayout, in transaction: any StoreTransaction
  ) throws -> [ClosedRange<Int64>] {
    guard let (ranges, isRoundTrip) = link.keys?.take(count, of: entity) else { return [] }
    if isRoundTrip { try link.trip(.reserveKeys) }
    return ranges
  }

  package var isSingleWriter: Bool { !link.beginsLate }

  package func beginTransaction() throws -> any StoreTransaction {
    try link.trip(.begin)
    try link.arrive()
    return RemoteTransaction(
      of: self, try link.beginsLate ? nil : base.beginTransaction(), isOptimistic: link.isOptimistic)
  }

  package func beginTransaction(retry: Int) throws -> any StoreTransaction {
    link.noteRetry()
    try link.trip(.begin)
    try link.arrive()
    return RemoteTransaction(of: self, try link.beginsLate ? nil : base.beginTransaction(), isOptimistic: false)
  }

  package func isRetryable(_ error: any Error) -> Bool {
    (error as? SwiftDataError)?.underlyingError is RemoteConflict
  }

  func firstUnusedKey(for entity: EntityLayout) -> Int64 {
    unusedKeys.withLock { $0[entity.inheritance?.rootName ?? entity.name] ?? 0 }
  }

  func noteUse(ofKeysBefore key: Int64, for entity: EntityLayout) {
    unusedKeys.withLock { $0[entity.inheritance?.rootName ?? entity.name] = key }
  }

  package func reencrypt(from progress: EngineReencryption, limit: Int) throws -> EngineReencryption {
    try link.trip(.reencrypt)
    return try base.reencrypt(from: progress, limit: limit)
  }

  package func encryptedRowCount() throws -> Int {
    try link.trip(.reencrypt)
    return try base.encryptedRowCount()
  }

  package func check(repairing: Bool, _ work: StoreWork) throws -> [StoreProblem] {
    try link.trip(.check)
    return try base.check(repairing: repairing, work)
  }

  package func backUp(to path: String, _ work: StoreWork) throws -> [String] {
    try link.trip(.backUp)
    return try base.backUp(to: path, work)
  }

  package func erase(willCommit: () -> Void) throws {
    try link.trip(.erase)
    try base.erase(willCommit: willCommit)
  }
}

extension RemoteEngine: HistoryEngine {
  package func history(_ request: HistoryRequest, in transaction: (any StoreTransaction)?) throws -> HistoryExtract {
    try read(.history, in: transaction) { own in
      let extract = try (base as? any HistoryEngine)?.history(request, in: own) ?? HistoryExtract()
      link.noteHistory(extract.entries.count)
      return extract
    }
  }

  package func tombstones(
    of entity: EntityLayout, numbers: ClosedRange<Int64>, in transaction: (any StoreTransaction)?,
    _ body: (EngineRows, Int32) throws -> Void
  ) throws {
    try read(.history, in: transaction) { own in
      try (base as? any HistoryEngine)?.tombstones(of: entity, numbers: numbers, in: own) { rows, column in
        try handOver(rows, in: transaction) { try body($0, column) }
      }
    }
  }
}
