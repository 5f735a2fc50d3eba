import Foundation
import PersistenceSupport

/// A database of rows: the interface between the object layer and its storage (decision 3).
///
/// It is designed for batches: a remote engine can send a whole save and receive a whole fetch at once. It is
/// independent of SQL. Thread-safe.
package protocol StoreEngine: AnyObject, Sendable {
  /// The identifier of the store in persistent identifiers; stored in the file.
  var identifier: String { get }
  /// The location of the store, for messages.
  var location: String { get }
  var allowsSave: Bool { get }
  /// The number of concurrent readers.
  var readerCount: Int { get }

  /// Runs a fetch and lends its rows once. The cursor is before the first row.
  ///
  /// - Parameter transaction: The transaction whose uncommitted rows are visible; nil for committed rows.
  /// - Throws: `SwiftDataError` of the store, or the error of `body`.
  func fetch(
    _ request: FetchRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void) throws

  /// The number of rows of a fetch.
  func count(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> Int

  /// The primary keys of a fetch, in its order.
  func keys(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> [Int64]

  /// The query plan of a fetch, which is not run.
  func explain(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> StatementExplanation

  /// Runs an aggregation and lends its rows once. The cursor is before the first row.
  ///
  /// - Throws: `SwiftDataError` of the store, or the error of `body`.
  func aggregate(
    _ request: AggregateRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void) throws

  /// Fetches related models and lends their rows once. The cursor is before the first row. Rows are unordered, except
  /// that rows of a junction table have the order of the relationship.
  func members(
    _ request: MemberRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void) throws

  /// The keys of given owners, each with the key of a related model.
  func pairs(
    of relationship: RelationshipLayout, in entity: EntityLayout, owners: [Int64], transaction: (any StoreTransaction)?
  ) throws -> [RelatedPair]

  /// Whether every new key is greater than all keys that any process has used. If so,
  /// ``StoreTransaction/reserveKeys(_:for:)`` returns new keys, otherwise ``takeKeys(_:for:in:)``. Constant.
  var keysRise: Bool { get }

  /// Takes unused primary keys, for an engine whose keys do not rise. A rollback of the transaction does not free them.
  ///
  /// - Returns: At least `count` keys from 1 to ``EngineKeys/greatest``, as ranges in any order. No engine of the store
  ///   returns a key twice, or a key that a row has had.
  func takeKeys(_ count: Int, for entity: EntityLayout, in: any StoreTransaction) throws -> [ClosedRange<Int64>]

  /// Begins the store's only write transaction.
  ///
  /// Blocks while another context or process has a write transaction, up to the configured timeout.
  /// - Throws: `SwiftDataError.storeBusy` after the timeout, `.storeReadOnly` if the store is read-only.
  func beginTransaction() throws -> any StoreTransaction

  /// Begins the transaction of a save that is retried after an error for which ``isRetryable(_:)`` returned true.
  ///
  /// If an engine's first attempt writes optimistically, a retry writes pessimistically. It may wait for a transaction.
  /// - Parameter retry: The number of the retry, from 1.
  /// - Throws: The errors of ``beginTransaction()``.
  func beginTransaction(retry: Int) throws -> any StoreTransaction

  /// Whether a concurrent transaction caused an error, so that a retry of the same save may succeed. Examples are a
  /// serialization failure, a deadlock, a unique value that another row got meanwhile, and an update of a changed row.
  ///
  /// A busy store is not such an error: the engine itself waits for the store.
  func isRetryable(_ error: any Error) -> Bool

  /// The number of times that a save is retried before its error is thrown.
  var saveRetryLimit: Int { get }

  /// Whether no other context or process can commit between the beginning and the end of a transaction. If another one
  /// can, a save locks and compares every existing row that it changes or deletes.
  var isSingleWriter: Bool { get }

  /// The number of observed commits of other processes. Reads and the beginning of transactions update it.
  var foreignChangeCount: Int64 { get }

  /// The rows that commits of other processes changed; nil if the engine does not know all of them.
  ///
  /// Each commit is requested once, in order.
  /// - Parameters:
  ///   - count: The ``foreignChangeCount`` before the commits.
  ///   - last: The ``foreignChangeCount`` after them.
  func foreignRows(after count: Int64, through last: Int64) -> [ForeignRows]?

  /// Records reads outside of a transaction that saw its rows; nil if the engine isolates transactions. Constant.
  var uncommittedReads: (any UncommittedReads)? { get }

  /// Whether other engines or processes may commit to the store, so that live queries poll for commits. Constant.
  var hasForeignCommits: Bool { get }

  /// Updates ``foreignChangeCount`` without a read by the program. Must not block: live queries call it often.
  func lookForForeignCommits()
  /// Whether each save passes its changes to the transaction, which then is a `HistoryStoreTransaction`. Constant. An
  /// engine with readable history is a `HistoryEngine`. An engine over a custom store is not a `HistoryEngine`.
  var keepsHistory: Bool { get }

  /// The identifiers of a custom store; nil for a store whose keys are the identifiers. If the value is not nil, the
  /// engine gets the ``FetchRequest/origin`` of requests, and is notified of contexts. Constant.
  var identities: (any IdentifierTable)? { get }

  /// Whether other statements may run while rows are lent, on the same thread or in the same transaction. If not,
  /// ``StoreCoordinator`` copies rows before it lends them to code that may read other rows. Constant.
  var nestsReads: Bool { get }
  /// Whether the engine, not memory, compares, searches, sorts and counts texts by Swift's rules. Constant.
  var readsTexts: Bool { get }

  /// Whether the calling thread is within a read. Nested reads share the snapshot of the outer read.
  var isReadingHere: Bool { get }

  /// Re-encrypts, in one transaction, the next values that may be encrypted with a former key.
  ///
  /// - Parameters:
  ///   - progress: The progress of earlier calls.
  ///   - limit: The number of rows to visit.
  /// - Returns: The new progress. If it is complete, all values are encrypted with the current key.
  func reencrypt(from progress: EngineReencryption, limit: Int) throws -> EngineReencryption

  /// The approximate number of rows with encrypted values.
  func encryptedRowCount() throws -> Int

  /// Compares the content of the store with its schema, and checks its consistency.
  ///
  /// - Parameters:
  ///   - repairing: Whether to repair the problems that have one correct repair, all in one transaction.
  ///   - work: Receives the progress, and returns whether to stop.
  /// - Returns: The problems, including those that were repaired.
  /// - Throws: `CancellationError`, or `SwiftDataError` of the store. In these cases nothing has been repaired.
  func check(repairing: Bool, _ work: StoreWork) throws -> [StoreProblem]

  /// Copies a consistent snapshot of the committed rows. Contexts and processes may save meanwhile.
  ///
  /// - Parameters:
  ///   - path: The path of the copy, which does not exist yet, in a folder that no other code uses.
  ///   - work: Receives the progress, and returns whether to stop.
  /// - Returns: The names of the copy's files, all in this folder and flushed to the disk. The store's file is last.
  /// - Throws: `CancellationError`, or `SwiftDataError` of the store. In these cases parts of the copy may remain.
  func backUp(to path: String, _ work: StoreWork) throws -> [String]

  /// Deletes all rows and related data of the entities.
  ///
  /// - Parameter willCommit: Called after the deletion, while no other transaction can commit.
  func erase(willCommit: () -> Void) throws

  /// Closes the store's files. Later operations throw.
  func close()
}

extension StoreEngine {
  package var location: String { identifier }
  package var readerCount: Int { 1 }
  package var keysRise: Bool { true }
  package func takeKeys(_: Int, for _: EntityLayout, in _: any StoreTransaction) throws -> [ClosedRange<Int64>] { [] }
  package func reencrypt(from progress: EngineReencryption, limit: Int) throws -> EngineReencryption {
    var progress = progress
    progress.isComplete = true
    return progress
  }

  package func encryptedRowCount() throws -> Int { 0 }

  package func check(repairing: Bool, _ work: StoreWork) throws -> [StoreProblem] {
    throw SwiftDataError(
      .storeFailure, "The store at \(location) cannot check itself here. Use the tools of its database.")
  }

  package func backUp(to path: String, _ work: StoreWork) throws -> [String] {
    throw SwiftDataError(
      .storeFailure, "The store at \(location) cannot be backed up from here. Use the tools of its database.")
  }

  package func beginTransaction(retry: Int) throws -> any StoreTransaction { try beginTransaction() }
  package func isRetryable(_ error: any Error) -> Bool { false }
  package var saveRetryLimit: Int { 3 }
  package var isSingleWriter: Bool { true }
  package var foreignChangeCount: Int64 { 0 }
  package var uncommittedReads: (any UncommittedReads)? { nil }
  package var hasForeignCommits: Bool { true }
  package func lookForForeignCommits() {}
  package func foreignRows(after count: Int64, through last: Int64) -> [ForeignRows]? { nil }
  package var nestsReads: Bool { true }
  package var readsTexts: Bool { true }
  package var keepsHistory: Bool { false }
  package var identities: (any IdentifierTable)? { nil }
  package var isReadingHere: Bool { false }
}

/// Records reads outside of a transaction that saw the transaction's uncommitted rows. Thread-safe.
///
/// If a store has one connection and a context has a transaction, a thread that reads sees the transaction's
/// uncommitted rows. They may be rolled back later. Contexts that may have read them are then notified to read again.
package protocol UncommittedReads: AnyObject, Sendable {
  /// Records a read outside of any transaction.
  func note()
  /// Adds code that runs after each transaction whose rows such a read saw, if any of these rows were rolled back.
  func addListener(_ body: @escaping @Sendable () -> Void)
}

/// Rows that the database changed or deleted by referential actions.
package struct AffectedRows: Sendable {
  /// The entity, or the root of a hierarchy.
  package let entity: EntityLayout
  package var changed: Set<Int64> = []
  package var deleted: Set<Int64> = []

  package init(entity: EntityLayout) { self.entity = entity }
}

/// The store's write transaction.
///
/// Belongs to the caller until ``commit()`` or ``rollBack()``. Used by one thread at a time.
package protocol StoreTransaction: AnyObject {
  /// Prevents other transactions from changing or deleting rows until this transaction ends. A save then compares the
  /// rows with those that its context has read. Missing rows are no error. With a single writer this has no effect.
  func lock(_ keys: [Int64], of entity: EntityLayout) throws

  /// Begins a save whose statements may be sent with its commit, in one network round trip. A rejected statement then
  /// fails the commit with a retryable error, and ``update(_:mask:expecting:_:)`` compares rows.
  /// - Returns: Whether the transaction defers its statements.
  func beginWaiting() -> Bool

  /// Reserves unused consecutive primary keys and returns the first. A rollback releases the keys. The caller skips
  /// keys for which identifiers exist (``KnownKeys``). Called only if the engine's keys rise.
  func reserveKeys(_ count: Int, for entity: EntityLayout) throws -> Int64

  /// Lends a statement that inserts one row at each step.
  ///
  /// Parameter 1 is the primary key; the columns of the properties in ``EntityLayout/storedMask`` follow.
  /// - Returns: The rejected rows, if the engine sends all rows after `body` and no step reports a rejection. Such an
  ///   engine itself discards the external values of rejected rows.
  @discardableResult
  func insert(into entity: EntityLayout, _ body: (EngineStatement) throws -> Void) throws -> [RefusedRow]

  /// Writes rows. If a row with the same unique values exists, the write updates it.
  ///
  /// The result is the same as writing the rows one after the other: two rows with the same unique values become one
  /// row with the values of the later one.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - count: The number of rows.
  ///   - body: Gets the index of each row, in order, and a statement like the one of ``insert(into:_:)`` for one step.
  ///     An engine may call it for all rows before it writes any row.
  /// - Returns: The row of each index. A row of another class of the hierarchy has taken only some of the values, and
  ///   the caller must roll back. The engine then neither writes nor returns later rows.
  func upsert(
    into entity: EntityLayout, count: Int, _ body: (Int, EngineStatement) throws -> Void
  ) throws -> [UpsertedRow]

  /// Temporarily sets the columns of a mask, in rows with given keys, to unique values, so that values can be swapped.
  func vacate(_ entity: EntityLayout, mask: UInt64, keys: [Int64]) throws

  /// Redirects all references from old keys to new ones. No key is both an old and a new key.
  func redirect(_ relationships: [(EntityLayout, RelationshipLayout)], _ keys: [RedirectedKey]) throws

  /// Lends a statement that updates the columns of `mask` in one row at each step.
  ///
  /// The columns come first and the primary key is the last parameter. A step fails with
  /// ``EngineStatement/missingRowCode`` if no row has the key.
  /// - Parameter expected: After ``beginWaiting()``, the expected values of each column. Other values fail the commit.
  /// - Returns: The rejected rows, the same as ``insert(into:_:)``.
  @discardableResult
  func update(
    _ entity: EntityLayout, mask: UInt64, expecting expected: [[QueryValue]]?, _ body: (EngineStatement) throws -> Void
  ) throws -> [RefusedRow]

  /// Whether the transaction stays usable after an update violates uniqueness; if not, ``rollBack(to:)`` must follow.
  var survivesConflicts: Bool { get }
  /// Whether the deletion of a row also deletes the rows to which its delete rules cascade.
  var appliesDeleteRules: Bool { get }

  /// Deletes rows by primary key, and returns their number.
  @discardableResult
  func delete(from entity: EntityLayout, keys: [Int64]) throws -> Int

  /// Deletes the rows of a request, and returns their primary keys.
  func delete(_ request: FetchRequest) throws -> [Int64]

  /// Runs deletions, and returns the rows deleted or changed by referential actions.
  func deletingWithReferences(_ body: () throws -> Void) throws -> [AffectedRows]

  /// Whether a reference leads to a missing row. Such a reference makes the commit fail.
  func hasBrokenReferences() throws -> Bool

  /// Removes references to missing rows: sets columns to NULL, and deletes junction rows whose target is missing.
  func dropReferences(_ relationships: [(EntityLayout, RelationshipLayout)], to keys: [Int64]) throws

  /// Deletes the junction rows of missing owners.
  func dropPairs(_ relationships: [(EntityLayout, RelationshipLayout)], of keys: [Int64]) throws

  /// Inserts and deletes rows of a junction table. Existing rows are kept.
  func changePairs(
    of relationship: RelationshipLayout, in entity: EntityLayout, adding: [RelatedPair], removing: [RelatedPair]) throws

  /// Sets the order of the rows of given owners in a junction table. The last of several orders of one owner applies.
  func orderPairs(of relationship: RelationshipLayout, in entity: EntityLayout, _ orders: [PairOrder]) throws

  /// Sets the positions of models in the to-many inverse of their to-one relationship.
  func setPositions(_ positions: [ListOrder.Position], of relationship: RelationshipLayout, in entity: EntityLayout)
    throws

  /// Sets a savepoint. Release savepoints in reverse order: each open one slows down later changes.
  func savepoint() throws -> Int
  /// Releases a savepoint and keeps the changes made since the savepoint.
  func release(_ savepoint: Int) throws
  /// Rolls back to a savepoint and releases it.
  ///
  /// - Throws: `SwiftDataError` if the savepoint no longer exists, such as after a full disk. Then call ``rollBack()``.
  func rollBack(to savepoint: Int) throws

  /// Performs the fallible part of a commit, before several stores commit. On failure the transaction is rolled back.
  func prepareCommit() throws
  /// Makes all changes durable and visible. On failure no change is made and the transaction has ended, unless
  /// ``UnknownOutcome`` is the cause of the error.
  func commit() throws
  /// Rolls back all changes and ends the transaction. Cannot fail: databases roll back uncommitted transactions anyway.
  func rollBack()
}

extension StoreTransaction {
  package var survivesConflicts: Bool { true }
  package var appliesDeleteRules: Bool { false }
  package func lock(_ keys: [Int64], of entity: EntityLayout) throws {}
  package func beginWaiting() -> Bool { false }
}

/// A row that the engine rejected.
package struct RefusedRow: Sendable {
  /// The number of steps before the step of this row.
  package let index: Int
  /// The code that `step` would have returned. It is an argument of ``EngineStatement/error``.
  package let code: Int32

  package init(index: Int, code: Int32) {
    self.index = index
    self.code = code
  }
}

/// The rows of a fetch, as an engine provides them.
///
/// Texts and numbers are exactly as they were written, even if the engine stores another form (``OriginalNotes``).
package struct EngineRows {
  package let row: OpaquePointer
  /// Valid for the lifetime of the engine.
  package let functions: UnsafePointer<ColumnReadFunctions>
  /// Maps an error code of `step` to an error.
  package let error: (Int32) -> SwiftDataError
  /// Reads external values.
  package let externalValues: (any ExternalValueReader)?
  /// Decrypts values.
  package let cipher: (any ValueCipher)?
  /// Whether the cursor is already on the first row; if not, the first step moves there.
  package let isOnFirstRow: Bool

  package init(
    row: OpaquePointer, functions: UnsafePointer<ColumnReadFunctions>, error: @escaping (Int32) -> SwiftDataError,
    externalValues: (any ExternalValueReader)? = nil, cipher: (any ValueCipher)? = nil, isOnFirstRow: Bool = false
  ) {
    self.isOnFirstRow = isOnFirstRow
    self.row = row
    self.functions = functions
    self.error = error
    self.externalValues = externalValues
    self.cipher = cipher
  }
}

/// A statement that an engine lends.
package struct EngineStatement {
  /// The result of `step` if the row to update does not exist.
  package static let missingRowCode: Int32 = -1

  package let statement: OpaquePointer
  /// Valid for the lifetime of the engine.
  package let functions: UnsafePointer<ColumnWriteFunctions>
  /// Maps an error code of `step` or a column to an error.
  package let error: (Int32) -> SwiftDataError
  /// Whether an error code of `step` is a uniqueness violation.
  package let isConflict: (Int32) -> Bool
  /// Stores external values; nil if all values stay in rows.
  package let externalValues: (any ExternalValueWriter)?
  /// Encrypts values.
  package let cipher: (any ValueCipher)?
  /// Whether texts are bound in their stored form (``StoredText``), and -0.0 as 0; if not, values are bound unchanged.
  package let storesForms: Bool
  /// Collects the values that differ from their stored form; nil if the engine does not store them.
  package let originals: OriginalNotes?

  package init(
    statement: OpaquePointer, functions: UnsafePointer<ColumnWriteFunctions>,
    isConflict: @escaping (Int32) -> Bool = { _ in false }, externalValues: (any ExternalValueWriter)? = nil,
    cipher: (any ValueCipher)? = nil, storesForms: Bool = true, originals: OriginalNotes? = nil,
    error: @escaping (Int32) -> SwiftDataError
  ) {
    self.storesForms = storesForms
    self.originals = originals
    self.isConflict = isConflict
    self.statement = statement
    self.functions = functions
    self.error = error
    self.externalValues = externalValues
    self.cipher = cipher
  }
}

/// The key of a new row that an upsert merged into an existing row, and the key of the existing row.
package struct RedirectedKey: Sendable {
  package let old: Int64
  package let new: Int64

  package init(old: Int64, new: Int64) {
    self.old = old
    self.new = new
  }
}

/// The row that an upsert inserted or updated.
package struct UpsertedRow: Sendable {
  package let key: Int64
  /// The name of the row's entity in a hierarchy; nil without inheritance.
  package let entityName: String?

  package init(key: Int64, entityName: String? = nil) {
    self.key = key
    self.entityName = entityName
  }
}

/// A property whose value in a row could not be read or written.
package struct PropertyFailure: Sendable {
  package let position: Int
  package let error: SwiftDataError
}

extension _PersistenceRuntime {
  /// The failures in the columns of a row, one for each property, kept until the row is complete.
  ///
  /// Generated loops are straight-line code: a column that cannot be decoded leaves its slot empty and records a
  /// failure here. After the row, a read handles the failures (``ReadSession/settle(_:mask:)``), and a write throws the
  /// first failure.
  public final class RowFailure {
    package private(set) var all: ContiguousArray<PropertyFailure> = []
    /// Whether there is a failure, in separate memory so that loops test it without reference counting.
    @usableFromInline package let hasFailed: UnsafeMutablePointer<Bool>

    package let entity: EntityLayout

    package init(entity: EntityLayout) {
      self.entity = entity
      hasFailed = .allocate(capacity: 1)
      hasFailed.initialize(to: false)
    }

    deinit { hasFailed.deallocate() }

    /// Throws the first failure of a row, if there is one.
    package func throwFirst() throws {
      if let first = takeAll().first { throw first.error }
    }

    /// Returns the failures of a row, and removes them.
    package func takeAll() -> ContiguousArray<PropertyFailure> {
      hasFailed.pointee = false
      defer { all = [] }
      return all
    }

    /// Records a failure, unless the property already has one: a refreshed property is read twice.
    package func record(
      _ kind: SwiftDataError.Kind, property index: Int, key: Int64?, _ reason: String, underlying: (any Error)? = nil
    ) {
      hasFailed.pointee = true
      guard !all.contains(where: { $0.position == index }) else { return }
      let property = index < entity.properties.count ? entity.properties[index].name : "column \(index)"
      let row = key.map { " of row \($0)" } ?? ""
      let error = SwiftDataError(kind, "\(entity.name).\(property)\(row): \(reason)", underlying: underlying)
      all.append(PropertyFailure(position: index, error: error))
    }
  }
}
