import Foundation
import PersistenceSupport

/// A database of rows: the interface between the object layer and its storage (decision 3). Thread-safe.
///
/// The methods work on batches, so that the engine of a remote database can send a whole save and receive a whole fetch
/// at once. Requests contain no SQL.
package protocol StoreEngine: AnyObject, Sendable {
  /// The identifier of the store, which each persistent identifier contains. The store itself contains it too.
  var identifier: String { get }
  /// The location of the store, for messages.
  var location: String { get }
  var allowsSave: Bool { get }
  /// The number of reads that can run at the same time.
  var readerCount: Int { get }

  /// Runs a fetch, and calls `body` once with a cursor over the rows. The rows are valid only during this call.
  ///
  /// - Parameter transaction: The transaction whose uncommitted rows are visible; nil for committed rows.
  /// - Throws: `SwiftDataError` of the store, or the error of `body`.
  func fetch(
    _ request: FetchRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void) throws

  /// Returns the number of rows that a fetch selects.
  func count(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> Int

  /// Returns the primary keys of the rows that a fetch selects, in the order of the fetch.
  func keys(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> [Int64]

  /// Returns the query plan of a fetch. Does not run the fetch.
  func explain(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> StatementExplanation

  /// Runs an aggregation, and calls `body` once with a cursor over the results. They are valid only during this call.
  ///
  /// - Throws: `SwiftDataError` of the store, or the error of `body`.
  func aggregate(
    _ request: AggregateRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void) throws

  /// Fetches the rows of related models, and calls `body` once with a cursor over them, which is valid only during this
  /// call. The rows are unordered, except that those of a junction table have the order of the relationship.
  func members(
    _ request: MemberRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void) throws

  /// Returns one pair of keys, of owner and related model, for each related model of the given owners.
  func pairs(
    of relationship: RelationshipLayout, in entity: EntityLayout, owners: [Int64], transaction: (any StoreTransaction)?
  ) throws -> [RelatedPair]

  /// Whether every new key is greater than all keys that any process has used. If so,
  /// ``StoreTransaction/reserveKeys(_:for:)`` returns new keys, otherwise ``takeKeys(_:for:in:)``. Constant.
  var keysRise: Bool { get }

  /// Allocates unused primary keys, for an engine with ``keysRise`` false. A rollback does not make them unused again.
  ///
  /// - Returns: At least `count` keys from 1 to ``EngineKeys/greatest``, as ranges in any order. No engine of the store
  ///   returns a key twice, or a key that a row has had.
  func takeKeys(_ count: Int, for entity: EntityLayout, in: any StoreTransaction) throws -> [ClosedRange<Int64>]

  /// Begins a write transaction.
  ///
  /// With a single writer, waits up to the configured timeout while another context or process has a transaction.
  /// - Throws: `SwiftDataError.storeBusy` after the timeout, `.storeReadOnly` if the store is read-only.
  func beginTransaction() throws -> any StoreTransaction

  /// Begins the transaction of a save that is run again after an error for which ``isRetryable(_:)`` returned true.
  ///
  /// An engine whose first attempt does not lock rows locks them in a retry, and may then wait for another transaction.
  /// - Parameter retry: The number of the retry, from 1.
  /// - Throws: The errors of ``beginTransaction()``.
  func beginTransaction(retry: Int) throws -> any StoreTransaction

  /// Returns true if a concurrent transaction caused an error, so that the same save may succeed if it is run again.
  ///
  /// Examples are a serialization failure, a deadlock, an update of a row that was changed meanwhile, and a unique
  /// value that another row got meanwhile. Returns false for a busy store, because the engine itself waits for it.
  func isRetryable(_ error: any Error) -> Bool

  /// The number of times that a save is retried before its error is thrown.
  var saveRetryLimit: Int { get }

  /// Whether no other context or process can commit while a transaction is open. If false, a save locks each existing
  /// row that it changes or deletes, and compares the row with the values that its context has read.
  var isSingleWriter: Bool { get }

  /// The number of known commits of other processes. Each read and each beginning of a transaction updates it.
  var foreignChangeCount: Int64 { get }

  /// The rows that commits of other processes changed; nil if the engine does not know all of them.
  ///
  /// The caller requests each commit only once, in order.
  /// - Parameters:
  ///   - count: The ``foreignChangeCount`` before the commits.
  ///   - last: The ``foreignChangeCount`` after them.
  func foreignRows(after count: Int64, through last: Int64) -> [ForeignRows]?

  /// Records reads that saw uncommitted rows of another context; nil if the engine isolates transactions. Constant.
  var uncommittedReads: (any UncommittedReads)? { get }

  /// Whether other engines or processes may commit to the store, so that live queries poll for commits. Constant.
  var hasForeignCommits: Bool { get }

  /// Updates ``foreignChangeCount`` although the program reads nothing. Must not block: live queries call it often.
  func lookForForeignCommits()
  /// Whether each save passes its changes to the transaction, which then is a `HistoryStoreTransaction`. Constant. If
  /// the history can be read, the engine is a `HistoryEngine`. The engine of a custom store is no `HistoryEngine`.
  var keepsHistory: Bool { get }

  /// Maps the identifiers of a custom store to keys; nil for a store whose identifiers contain the keys. If not nil,
  /// the engine gets the ``FetchRequest/origin`` of requests, and learns of contexts' first use and release. Constant.
  var identities: (any IdentifierTable)? { get }

  /// Whether other statements may run on the same thread or in the same transaction while `body` reads the rows of a
  /// fetch. If not, ``StoreCoordinator`` copies all rows before it calls code that may read other rows. Constant.
  var nestsReads: Bool { get }
  /// Whether the engine compares, searches, sorts and counts texts by Swift's rules; if not, the library does.
  /// Constant.
  var readsTexts: Bool { get }

  /// Whether the calling thread is inside a read. Nested reads use the snapshot of the outer read.
  var isReadingHere: Bool { get }

  /// Visits the next rows, and re-encrypts values that are encrypted with a former key. Uses one transaction.
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
  ///   - repairing: Whether to repair, in one transaction, the problems that can be repaired in only one way.
  ///   - work: Receives the progress, and returns whether to stop.
  /// - Returns: The problems, including those that were repaired.
  /// - Throws: `CancellationError`, or `SwiftDataError` of the store. In these cases nothing has been repaired.
  func check(repairing: Bool, _ work: StoreWork) throws -> [StoreProblem]

  /// Copies a consistent snapshot of the committed rows. Other contexts and processes may save during the copy.
  ///
  /// - Parameters:
  ///   - path: The path of the copy, which does not exist yet, in a folder that no other code uses.
  ///   - work: Receives the progress, and returns whether to stop.
  /// - Returns: The names of the copy's files, all in this folder and flushed to the disk. The store's file is last.
  /// - Throws: `CancellationError`, or `SwiftDataError` of the store. In these cases parts of the copy may remain.
  func backUp(to path: String, _ work: StoreWork) throws -> [String]

  /// Deletes all rows of all entities, and the data that belongs to the rows.
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

/// Records reads outside of a transaction that saw its uncommitted rows. Thread-safe.
///
/// If a store has only one connection, other contexts on the thread of an open transaction read with this connection,
/// and see uncommitted rows. If any of these rows are rolled back later, all contexts are notified to read again.
package protocol UncommittedReads: AnyObject, Sendable {
  /// Records a read that does not belong to a transaction.
  func note()
  /// Adds code that runs after a transaction if it rolled back rows that a recorded read had seen.
  func addListener(_ body: @escaping @Sendable () -> Void)
}

/// Rows that the database changed or deleted by referential actions, such as ON DELETE CASCADE.
package struct AffectedRows: Sendable {
  /// The entity of the rows; the root entity for rows of a hierarchy.
  package let entity: EntityLayout
  package var changed: Set<Int64> = []
  package var deleted: Set<Int64> = []

  package init(entity: EntityLayout) { self.entity = entity }
}

/// A write transaction of a store.
///
/// The caller that began the transaction must end it by ``commit()`` or ``rollBack()``. Used by one thread at a time.
package protocol StoreTransaction: AnyObject {
  /// Locks rows, so that no other transaction can change or delete them before this one ends. The save then compares
  /// the rows with those that its context has read. Ignores missing rows. With a single writer this has no effect.
  func lock(_ keys: [Int64], of entity: EntityLayout) throws

  /// Permits the transaction to send all statements of a save together with the commit, in one network round trip. Then
  /// a rejected statement fails the commit with a retryable error, and updates check the former values of their rows.
  /// - Returns: Whether the transaction defers its statements.
  func beginWaiting() -> Bool

  /// Reserves consecutive unused primary keys, and returns the first one. A rollback makes them unused again, so the
  /// caller skips keys that identifiers already contain (``KnownKeys``). Requires ``StoreEngine/keysRise``.
  func reserveKeys(_ count: Int, for entity: EntityLayout) throws -> Int64

  /// Calls `body` with a statement that inserts one row at each step. The statement is valid only during the call.
  ///
  /// Parameter 1 is the primary key; the columns of the properties in ``EntityLayout/storedMask`` follow.
  /// - Returns: The rejected rows, if the engine sends rows only after `body` and so no step can report a rejection.
  ///   Such an engine itself discards the external values of rejected rows.
  @discardableResult
  func insert(into entity: EntityLayout, _ body: (EngineStatement) throws -> Void) throws -> [RefusedRow]

  /// Inserts rows. If a row with the same unique values exists, updates this row instead.
  ///
  /// The result is the same as writing the rows one after the other: two rows with the same unique values become one
  /// row with the values of the later one.
  ///
  /// - Parameters:
  ///   - entity: The entity.
  ///   - count: The number of rows.
  ///   - body: Called for the index of each row, in order, with a statement for one step. The statement has the
  ///     parameters of ``insert(into:_:)``. An engine may call `body` for all rows before it writes any row.
  /// - Returns: For each index, the written row. If an existing row belongs to another class of the hierarchy, only
  ///   some of the values were written to it. The result then ends with this row, and the caller must roll back.
  func upsert(
    into entity: EntityLayout, count: Int, _ body: (Int, EngineStatement) throws -> Void
  ) throws -> [UpsertedRow]

  /// Sets the columns of `mask` in the given rows to temporary unique values. Later updates can then swap values.
  func vacate(_ entity: EntityLayout, mask: UInt64, keys: [Int64]) throws

  /// Changes all references to an old key into references to the new key. No key is both an old and a new key.
  func redirect(_ relationships: [(EntityLayout, RelationshipLayout)], _ keys: [RedirectedKey]) throws

  /// Calls `body` with a statement that updates the columns of `mask` in one row at each step.
  ///
  /// The columns come first and the primary key is the last parameter. A step fails with
  /// ``EngineStatement/missingRowCode`` if no row has the key.
  /// - Parameter expected: After ``beginWaiting()``, for each column the values that the rows must have before the
  ///   update. If a row has other values, the commit fails.
  /// - Returns: The rejected rows, under the same condition as for ``insert(into:_:)``.
  @discardableResult
  func update(
    _ entity: EntityLayout, mask: UInt64, expecting expected: [[QueryValue]]?, _ body: (EngineStatement) throws -> Void
  ) throws -> [RefusedRow]

  /// Whether the transaction remains usable after a uniqueness violation. If not, ``rollBack(to:)`` must follow.
  var survivesConflicts: Bool { get }
  /// Whether the deletion of a row also deletes the rows to which its delete rules cascade.
  var appliesDeleteRules: Bool { get }

  /// Deletes rows by primary key, and returns their number.
  @discardableResult
  func delete(from entity: EntityLayout, keys: [Int64]) throws -> Int

  /// Deletes the rows that a request selects, and returns their primary keys.
  func delete(_ request: FetchRequest) throws -> [Int64]

  /// Runs `body`, which deletes rows. Returns the rows that the database changed or deleted by referential actions.
  func deletingWithReferences(_ body: () throws -> Void) throws -> [AffectedRows]

  /// Whether any row refers to a missing row. The commit fails as long as there is such a reference.
  func hasBrokenReferences() throws -> Bool

  /// Removes references to the given keys of missing rows: sets columns to NULL, and deletes rows of junction tables.
  func dropReferences(_ relationships: [(EntityLayout, RelationshipLayout)], to keys: [Int64]) throws

  /// Deletes the junction rows of the owners with the given keys. The owners' own rows no longer exist.
  func dropPairs(_ relationships: [(EntityLayout, RelationshipLayout)], of keys: [Int64]) throws

  /// Inserts and deletes rows of a junction table. Skips pairs to insert that the table already contains.
  func changePairs(
    of relationship: RelationshipLayout, in entity: EntityLayout, adding: [RelatedPair], removing: [RelatedPair]) throws

  /// Sets the order of the given owners' rows in a junction table. If an owner is given twice, the last order applies.
  func orderPairs(of relationship: RelationshipLayout, in entity: EntityLayout, _ orders: [PairOrder]) throws

  /// Sets the positions of models in a to-many relationship, whose inverse is the models' to-one `relationship`.
  func setPositions(_ positions: [ListOrder.Position], of relationship: RelationshipLayout, in entity: EntityLayout)
    throws

  /// Sets a savepoint. Release each savepoint, the last one first: open savepoints slow down later changes.
  func savepoint() throws -> Int
  /// Releases a savepoint and keeps the changes made since the savepoint.
  func release(_ savepoint: Int) throws
  /// Rolls back to a savepoint and releases it.
  ///
  /// - Throws: `SwiftDataError` if the savepoint no longer exists, such as after a full disk. Then call ``rollBack()``.
  func rollBack(to savepoint: Int) throws

  /// Does the part of a commit that can fail, before any of several stores commits. If it throws, it has rolled back.
  func prepareCommit() throws
  /// Makes all changes durable and visible to other transactions. If this throws, the transaction has ended without any
  /// change, with one exception: if the error's cause is ``UnknownOutcome``, the transaction may have been committed.
  func commit() throws
  /// Rolls back all changes, and ends the transaction. Cannot fail: a database discards uncommitted changes anyway.
  func rollBack()
}

extension StoreTransaction {
  package var survivesConflicts: Bool { true }
  package var appliesDeleteRules: Bool { false }
  package func lock(_ keys: [Int64], of entity: EntityLayout) throws {}
  package func beginWaiting() -> Bool { false }
}

/// A row that the database rejected, for example because it violates a uniqueness rule.
package struct RefusedRow: Sendable {
  /// The index of the row among the steps of the statement.
  package let index: Int
  /// The error code that `step` would have returned for the row. ``EngineStatement/error`` maps it to an error.
  package let code: Int32

  package init(index: Int, code: Int32) {
    self.index = index
    self.code = code
  }
}

/// A cursor over the rows of a fetch, which an engine passes to a closure.
///
/// Returns texts and numbers exactly as they were written, even if the engine stores another form (``OriginalNotes``).
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
  /// Whether the cursor starts on the first row. If not, it starts before this row, and the first step moves it there.
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

/// A statement that an engine passes to a closure. Valid only during the call of the closure.
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
  /// Whether the writer normalises texts (``StoredText``) and binds -0.0 as 0. If not, it binds values unchanged.
  package let storesForms: Bool
  /// Collects exact values where the writer normalises them; nil if the engine stores only normalised values.
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

/// The key that an upsert did not use, because it updated an existing row instead, and the key of the existing row.
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
  /// Collects the errors of a row's columns until the whole row has been read or written, one for each property.
  ///
  /// Generated code does not check for errors after each column: a column that cannot be decoded leaves its slot empty
  /// and records a failure here. After the row, a read handles the failures (``ReadSession/settle(_:mask:)``), and a
  /// write throws the first failure.
  public final class RowFailure {
    package private(set) var all: ContiguousArray<PropertyFailure> = []
    /// Whether the row has a failure. In separate memory, so that loops can test it without reference counting.
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

    /// Records a failure, unless the property already has one. A refreshed property may fail twice: it is read twice.
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
