import PersistenceSupport

/// Where rows are kept: the seam between the object layer and a database.
///
/// It is shaped for batches, so that an engine over a network can send a whole save and receive a whole fetch at once.
/// Nothing in it knows SQL. An engine may be used from many threads.
package protocol StoreEngine: AnyObject, Sendable {
  /// Names the store in identifiers; it stays with the store's file.
  var identifier: String { get }
  /// Where the store is, for messages.
  var place: String { get }
  var allowsSave: Bool { get }
  /// How many threads may read at the same time without waiting for each other.
  var readerCount: Int { get }

  /// Runs a fetch and hands over its rows, once, standing before the first.
  ///
  /// - Parameter transaction: The transaction whose uncommitted rows are to be seen, or nil for what is committed.
  /// - Throws: `SwiftDataError` of the store, or what `body` throws.
  func fetch(
    _ request: FetchRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void) throws

  /// The number of rows that a fetch would return.
  func count(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> Int

  /// The primary keys that a fetch would return, in its order.
  func keys(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> [Int64]

  /// How the store would answer a fetch, which is not run.
  func explain(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> StatementExplanation

  /// Calculates over the rows that a request means and hands over the results, once, standing before the first row.
  ///
  /// - Throws: `SwiftDataError` of the store, or what `body` throws.
  func aggregate(
    _ request: AggregateRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void) throws

  /// Reads the models that a relationship holds and hands over their rows, once, standing before the first. They are in any
  /// order, but for pairs, which come in that of the relationship.
  func members(
    _ request: MemberRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void) throws

  /// Reads the keys of what a relationship holds for some objects, without reading rows.
  func keys(
    of relationship: RelationshipLayout, in entity: EntityLayout, owners: [Int64], transaction: (any StoreTransaction)?
  ) throws -> [Int64]

  /// Begins the one transaction that may change the store.
  ///
  /// Waits for a transaction of another context or process, for as long as the configuration allows.
  /// - Throws: `SwiftDataError.storeBusy` when the wait was in vain, `.storeReadOnly` when the store may not change.
  func beginTransaction() throws -> any StoreTransaction

  /// A number that grows with every commit to the store, by whichever process.
  func changeCount() throws -> Int64

  /// How often commits of other processes have been noticed so far, by searches and by transactions when they begin.
  var foreignChangeCount: Int64 { get }

  /// Whether the calling thread is in the middle of a read, whose snapshot what it reads now comes from too.
  var isReadingHere: Bool { get }

  /// Goes over some more values that may be encrypted with a former key, and encrypts those anew, in one transaction.
  ///
  /// - Parameters:
  ///   - progress: How far earlier calls came.
  ///   - limit: The number of rows that are gone over.
  /// - Returns: How far this call came. The store is encrypted with the present key alone when that is the end.
  func reencrypt(from progress: EngineReencryption, limit: Int) throws -> EngineReencryption

  /// The number of rows with encrypted values, about.
  func encryptedRowCount() throws -> Int

  /// Removes every row, and what else the entities left behind.
  ///
  /// - Parameter willCommit: Called when everything is removed and nobody else can commit.
  func erase(willCommit: () -> Void) throws

  /// Gives up the store's files. A later use throws.
  func close()
}

extension StoreEngine {
  package var place: String { identifier }
  package var readerCount: Int { 1 }

  package func reencrypt(from progress: EngineReencryption, limit: Int) throws -> EngineReencryption {
    var progress = progress
    progress.isComplete = true
    return progress
  }

  package func encryptedRowCount() throws -> Int { 0 }
  package var foreignChangeCount: Int64 { 0 }
  package var isReadingHere: Bool { false }
}

/// Rows that the database changed or deleted by the rules of references, as it was told to with the schema.
package struct AffectedRows: Sendable {
  /// Their entity; of a hierarchy its root.
  package let entity: EntityLayout
  package var changed: Set<Int64> = []
  package var deleted: Set<Int64> = []

  package init(entity: EntityLayout) { self.entity = entity }
}

/// The row that an upsert ended in.
package struct UpsertedRow: Sendable {
  package let key: Int64
  /// The name of the row's entity, where that is not sure: in a hierarchy.
  package let entityName: String?

  package init(key: Int64, entityName: String? = nil) {
    self.key = key
    self.entityName = entityName
  }
}

/// The one transaction that changes a store.
///
/// It belongs to the caller until ``commit()`` or ``rollBack()``, and may be used from one thread at a time.
package protocol StoreTransaction: AnyObject {
  /// Sets aside primary keys that no row has or ever had, and returns the first. What is undone gives its keys back: those of
  /// which there are identifiers are left out by who reserves (``KnownKeys``).
  func reserveKeys(_ count: Int, for entity: EntityLayout) throws -> Int64

  /// Hands over a row to be written again and again, each step inserting one.
  ///
  /// Parameter 1 is the primary key; the columns of the properties in ``EntityLayout/storedMask`` follow.
  func insert(into entity: EntityLayout, _ body: (EngineStatement) throws -> Void) throws

  /// Hands over a row to be written once, as to ``insert(into:_:)``; when another row has its unique values, that row
  /// takes the values instead.
  ///
  /// - Returns: The row that has the values now. One of another class of the hierarchy has some of them only, so that the
  ///   transaction must be undone.
  func upsert(into entity: EntityLayout, _ body: (EngineStatement) throws -> Void) throws -> UpsertedRow

  /// Gives the columns of a mask, in rows of some keys, values that no other row has, until they are written again.
  func vacate(_ entity: EntityLayout, mask: UInt64, keys: [Int64]) throws

  /// Makes every reference to one row of an entity a reference to another.
  func redirect(_ relationships: [(EntityLayout, RelationshipLayout)], from old: Int64, to new: Int64) throws

  /// Hands over a row to be written again and again, each step changing the columns of `mask` of one row.
  ///
  /// The columns come first and the primary key is the last parameter. A step that finds no row of the key fails with
  /// ``EngineStatement/missingRowCode``.
  func update(_ entity: EntityLayout, mask: UInt64, _ body: (EngineStatement) throws -> Void) throws

  /// Deletes rows by their primary keys and returns how many there were.
  @discardableResult
  func delete(from entity: EntityLayout, keys: [Int64]) throws -> Int

  /// Deletes the rows that a request selects and returns their primary keys.
  func delete(_ request: FetchRequest) throws -> [Int64]

  /// Runs deletions and tells which rows they deleted, and which went or lost a reference with those.
  func deletingWithReferences(_ body: () throws -> Void) throws -> [AffectedRows]

  /// Whether a reference leads to no row, which fails the commit unless it is mended.
  var hasBrokenReferences: Bool { get }

  /// Empties relationships that lead to a row that is not there: columns, and pairs of which it is the target.
  func dropReferences(_ relationships: [(EntityLayout, RelationshipLayout)], to key: Int64) throws

  /// Removes the pairs of relationships that a row has that is not there.
  func dropPairs(_ relationships: [(EntityLayout, RelationshipLayout)], of key: Int64) throws

  /// Adds and removes pairs of a relationship that has a table for them; a pair that is there already stays as it is.
  func changePairs(
    of relationship: RelationshipLayout, in entity: EntityLayout, adding: [RelatedPair], removing: [RelatedPair]) throws

  /// Makes the order in which a relationship that has a table for its pairs holds its models the one that is given.
  func orderPairs(of relationship: RelationshipLayout, in entity: EntityLayout, owner: Int64, targets: [Int64]) throws

  /// Says where models stand in the relationship that is the inverse of a to-one relationship of theirs.
  func setPositions(_ positions: [ListOrder.Position], of relationship: RelationshipLayout, in entity: EntityLayout)
    throws

  /// Marks a point that ``rollBack(to:)`` can return to. Points are forgotten in the reverse order of their marking: each
  /// that is kept costs every later change.
  func savepoint() throws -> Int
  /// Forgets a point; what came after it stays.
  func release(_ savepoint: Int) throws
  /// Undoes what came after a point, and forgets it.
  ///
  /// - Throws: `SwiftDataError` when there is nothing to return to: some failures, as of a full disk, make a store undo all of
  ///   a transaction by itself. The transaction can only be rolled back then.
  func rollBack(to savepoint: Int) throws

  /// Does what a commit might fail at, so that next to nothing is left of it: called when several stores are to commit.
  /// On failure the transaction has ended.
  func prepareCommit() throws

  /// Makes everything durable and visible; on failure nothing is, and the transaction has ended.
  func commit() throws
  /// Undoes everything and ends the transaction. Never fails: a transaction that is not committed is undone.
  func rollBack()
}

/// The rows of a fetch as an engine hands them over.
package struct EngineRows {
  package let row: OpaquePointer
  /// Lives as long as the engine.
  package let functions: UnsafePointer<ColumnReadFunctions>
  /// The error that a code of `step` stands for.
  package let error: (Int32) -> SwiftDataError
  /// Where values are that rows refer to.
  package let externalValues: (any ExternalValueReader)?
  /// Opens values that are encrypted.
  package let cipher: (any ValueCipher)?

  package init(
    row: OpaquePointer, functions: UnsafePointer<ColumnReadFunctions>, error: @escaping (Int32) -> SwiftDataError,
    externalValues: (any ExternalValueReader)? = nil, cipher: (any ValueCipher)? = nil
  ) {
    self.row = row
    self.functions = functions
    self.error = error
    self.externalValues = externalValues
    self.cipher = cipher
  }
}

/// A statement that takes rows as an engine hands it over.
package struct EngineStatement {
  /// What `step` returns when the row that was to be changed is gone.
  package static let missingRowCode: Int32 = -1

  package let statement: OpaquePointer
  /// Lives as long as the engine.
  package let functions: UnsafePointer<ColumnWriteFunctions>
  /// The error that a code of `step` or of a column stands for.
  package let error: (Int32) -> SwiftDataError
  /// Whether a code of `step` says that another row has the same unique values.
  package let isConflict: (Int32) -> Bool
  /// Where values go that are too large for rows; nil when all stay there.
  package let externalValues: (any ExternalValueWriter)?
  /// Seals values that are to be encrypted.
  package let cipher: (any ValueCipher)?

  package init(
    statement: OpaquePointer, functions: UnsafePointer<ColumnWriteFunctions>,
    isConflict: @escaping (Int32) -> Bool = { _ in false }, externalValues: (any ExternalValueWriter)? = nil,
    cipher: (any ValueCipher)? = nil, error: @escaping (Int32) -> SwiftDataError
  ) {
    self.isConflict = isConflict
    self.statement = statement
    self.functions = functions
    self.error = error
    self.externalValues = externalValues
    self.cipher = cipher
  }
}
