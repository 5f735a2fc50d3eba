import Foundation
import PersistenceContext
import PersistenceHistory
import PersistenceQueries
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The engine of a custom store.
///
/// The engine caches the rows that the store has returned in an in-memory database, the mirror. A fetch queries the
/// store, writes the returned snapshots to the mirror, and reads the rows from there. So the same code creates the
/// objects of all stores. A save changes the mirror first. The engine then calls the store's `save` once, and commits
/// the mirror.
///
/// SQLite enforces no foreign keys in the mirror, because the mirror may lack the row that a foreign key refers to.
final class CustomStoreEngine<Store: DataStore>: StoreEngine {
  let mirror: any StoreEngine
  let access: StoreAccess<Store>
  let table: StoreIdentities
  let plan: SchemaPlan
  let contract: StoreContract
  let identifier: String
  /// The mirror as a store for the contexts that the engine creates to read snapshot values.
  let mirrorStores: ContainerStores
  let state = Lock(MirrorState())
  /// Whether the store can find rows by identifier, for each root entity. Has no entry while this is unknown.
  let findsIdentifiers = Lock<[String: Bool]>([:])
  let reordered = Lock(ReorderedRows())
  /// For each context, its last unsaved deletion by a predicate.
  let deletions = Lock<[UUID: MarkedDeletion]>([:])
  let open = OpenStoreTransaction<CustomStoreTransaction<Store>>()

  init(_ store: Store, name: String, plan: SchemaPlan, mirror: any StoreEngine) throws {
    self.mirror = mirror
    self.plan = plan
    identifier = store.identifier
    contract = StoreContract(name: name, identifier: store.identifier)
    table = StoreIdentities(of: store.identifier)
    access = StoreAccess(store, plan.entities)
    let rows = StoreCoordinator(engine: mirror, entities: plan.entities, uniquenessPolicy: .throwError)
    mirrorStores = ContainerStores(
      schema: ContainerSchema(plan.schema), modelTypes: plan.entities.modelTypes, stores: [rows])
  }

  var identities: (any IdentifierTable)? { table }
  var location: String { "\(contract.name)" }
  var allowsSave: Bool { true }
  var keysRise: Bool { false }
  /// True, so that saves report their changes, from which the engine creates the request to the store's `save`.
  var keepsHistory: Bool { true }
  var nestsReads: Bool { false }
  var hasForeignCommits: Bool { false }
  var isReadingHere: Bool { mirror.isReadingHere }
  var foreignChangeCount: Int64 { reordered.withLock(\.count) }

  func foreignRows(after count: Int64, through last: Int64) -> [ForeignRows]? {
    reordered.withLock { $0.take(after: count, through: last) }
  }

  var uncommittedReads: (any UncommittedReads)? { mirror.uncommittedReads }

  func takeKeys(
    _ count: Int, for entity: EntityLayout, in transaction: any StoreTransaction
  ) throws -> [ClosedRange<Int64>] {
    table.take(count).map { [$0] } ?? []
  }

  func beginTransaction() throws -> any StoreTransaction {
    let base = try mirror.beginTransaction()
    let transaction = CustomStoreTransaction(of: self, base, number: state.withLock { $0.begin() })
    open.begin(transaction)
    return transaction
  }

  func erase(willCommit: () -> Void) throws {
    try access.run { try $0.erase() }
    try mirror.erase(willCommit: willCommit)
    state.withLock { $0.empty() }
  }

  func close() { mirror.close() }

  /// The transaction in which a read runs: the given one, or the one that is open on this thread; nil if none is open.
  func own(_ transaction: (any StoreTransaction)?) -> CustomStoreTransaction<Store>? {
    transaction as? CustomStoreTransaction<Store> ?? open.here
  }

  /// The mirror's transaction in which a read runs; nil if there is none.
  func base(of transaction: (any StoreTransaction)?) -> (any StoreTransaction)? { own(transaction)?.base }

  func layout(_ name: String) -> EntityLayout? { plan.entities.layout(named: name) }
}

extension CustomStoreEngine: EditedEngine {
  func begin(_ state: EditingState) { access.run { $0.initializeState(for: state) } }

  func end(_ state: EditingState) {
    deletions.withLock { $0[state.id] = nil }
    access.run { $0.invalidateState(for: state) }
  }
}

extension CustomStoreEngine: TransactionEngine {
  var transactionType: (any HistoryTransaction.Type)? {
    func type<History: HistoryProviding>(in store: History) -> any HistoryTransaction.Type { History.historyType }
    return access.run { store in (store as? any HistoryProviding).map { type(in: $0) } }
  }

  func transactions<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    try access.run { store in
      guard let store = store as? any HistoryProviding else { return nil }
      return try Self.fetch(descriptor, from: store)
    }
  }

  private static func fetch<T: HistoryTransaction, History: HistoryProviding>(
    _ descriptor: HistoryDescriptor<T>, from store: History
  ) throws -> [T]? {
    guard let descriptor = descriptor as? HistoryDescriptor<History.HistoryType> else { return nil }
    return try store.fetchHistory(descriptor) as? [T]
  }

  func deleteTransactions<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool {
    try access.run { store in
      guard let store = store as? any HistoryProviding else { return false }
      return try Self.delete(descriptor, from: store)
    }
  }

  private static func delete<T: HistoryTransaction, History: HistoryProviding>(
    _ descriptor: HistoryDescriptor<T>, from store: History
  ) throws -> Bool {
    guard let descriptor = descriptor as? HistoryDescriptor<History.HistoryType> else { return false }
    try store.deleteHistory(descriptor)
    return true
  }
}
