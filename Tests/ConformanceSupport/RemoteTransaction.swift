import PersistenceCore
import SQLiteStore
import SwiftData

/// A transaction of a remote engine.
///
/// As in PostgreSQL, the first error of the store aborts the transaction. All further statements throw, until the
/// transaction is rolled back completely or to a savepoint before the error.
final class RemoteTransaction: StoreTransaction {
  private let engine: RemoteEngine
  /// The transaction of the engine that has the rows; nil before the first change if the link has `beginsLate`.
  private var base: (any StoreTransaction)?
  private var isAborted = false
  /// Whether the connection was lost, which also ends the transaction.
  private var isLost = false
  private var hasEnded = false
  /// Whether inserting a row whose unique values another row already has aborts the transaction.
  private let isOptimistic: Bool

  init(of engine: RemoteEngine, _ base: (any StoreTransaction)?, isOptimistic: Bool) {
    self.engine = engine
    self.base = base
    self.isOptimistic = isOptimistic
  }

  // MARK: Round trips

  /// Makes a round trip, and reads in the transaction.
  func read<Result>(_ call: RemoteCall, _ body: ((any StoreTransaction)?) throws -> Result) throws -> Result {
    try check(call)
    do {
      return try body(base)
    } catch {
      note(error)
      throw error
    }
  }

  fileprivate func run<Result>(_ call: RemoteCall, _ body: (any StoreTransaction) throws -> Result) throws -> Result {
    try check(call)
    do {
      return try body(try begun())
    } catch {
      note(error)
      throw error
    }
  }

  private func begun() throws -> any StoreTransaction {
    if let base { return base }
    guard !hasEnded else {
      throw SwiftDataError(.storeFailure, "A transaction on the test's server was used after its end.")
    }
    let begun = try engine.base.beginTransaction()
    base = begun
    return begun
  }

  private func check(_ call: RemoteCall) throws {
    try engine.requireIdle(.transaction(ObjectIdentifier(self)))
    try trip(call)
    guard !isAborted else {
      throw SwiftDataError(
        .storeFailure, "The test's server has aborted the transaction after an earlier error. Roll it back.")
    }
  }

  private func trip(_ call: RemoteCall) throws {
    guard !isLost else { throw RemoteLink.lossError }
    do {
      try engine.link.trip(call)
    } catch {
      if engine.isRetryable(error) { isAborted = true } else { isLost = true }
      throw error
    }
  }

  /// Marks the transaction as aborted if the server caused the error. The server does not notice other errors, such as
  /// those of a program.
  private func note(_ error: any Error) {
    if (error as? SwiftDataError)?.underlyingError is SwiftDataError.SQLiteError { isAborted = true }
  }

  // MARK: Rows

  func lock(_ keys: [Int64], of entity: EntityLayout) throws {
    try run(.lock) { try $0.lock(keys, of: entity) }
  }

  /// Reserves more keys than requested, so that there is a gap before the keys of the next rows. No key is reserved
  /// twice: if the outcome of a transaction is unknown, rows with its keys may exist.
  func reserveKeys(_ count: Int, for entity: EntityLayout) throws -> Int64 {
    let gap = count > 0 ? 1 + engine.link.tripCount % 7 : 0
    return try run(.reserveKeys) { base in
      let next = try base.reserveKeys(0, for: entity)
      let unused = engine.firstUnusedKey(for: entity)
      if unused > next { _ = try base.reserveKeys(Int(unused - next), for: entity) }
      let first = try base.reserveKeys(count + gap, for: entity)
      engine.noteUse(ofKeysBefore: first + Int64(count + gap), for: entity)
      return first
    }
  }

  @discardableResult
  func insert(into entity: EntityLayout, _ body: (EngineStatement) throws -> Void) throws -> [RefusedRow] {
    var refused: [RefusedRow] = []
    _ = try run(.insert) { base in
      // If the transaction is not optimistic, this insert corresponds to `ON CONFLICT DO NOTHING`: PostgreSQL reports
      // the rejected rows and continues.
      try base.insert(into: entity) { refused = try send(body, to: $0, abortsAtConflict: isOptimistic) }
      if isOptimistic, !refused.isEmpty { throw RemoteConflict.error }
    }
    return refused
  }

  func upsert(
    into entity: EntityLayout, count: Int, _ body: (Int, EngineStatement) throws -> Void
  ) throws -> [UpsertedRow] {
    let recorded = RecordedRows()
    return try run(.upsert) { base in
      try base.upsert(into: entity, count: count) { index, statement in
        if index == 0 {
          try withExtendedLifetime(recorded) {
            for index in 0..<count { try body(index, recorded.statement(like: statement)) }
          }
        }
        let code = recorded.rows[index].write(to: statement)
        if code != 0 { throw statement.error(code) }
      }
    }
  }

  @discardableResult
  func update(
    _ entity: EntityLayout, mask: UInt64, expecting expected: [[QueryValue]]?, _ body: (EngineStatement) throws -> Void
  ) throws -> [RefusedRow] {
    var refused: [RefusedRow] = []
    _ = try run(.update) { base in
      try base.update(entity, mask: mask, expecting: nil) { refused = try send(body, to: $0, abortsAtConflict: true) }
    }
    return refused
  }

  var survivesConflicts: Bool { false }

  /// Records all rows, and sends them to the server afterwards.
  private func send(
    _ body: (EngineStatement) throws -> Void, to statement: EngineStatement, abortsAtConflict: Bool
  ) throws -> [RefusedRow] {
    let recorded = RecordedRows()
    try withExtendedLifetime(recorded) { try body(recorded.statement(like: statement)) }
    statement.originals?.note(keys: recorded.originals.keys)
    var refused: [RefusedRow] = []
    for (index, row) in recorded.rows.enumerated() where !isAborted {
      let code = row.write(to: statement)
      if code == EngineStatement.missingRowCode {
        refused.append(RefusedRow(index: index, code: code))
      } else if code != 0 {
        let error = statement.error(code)
        guard statement.isConflict(code) else { throw error }
        refused.append(RefusedRow(index: index, code: recorded.note(error)))
        isAborted = abortsAtConflict
      }
    }
    return refused
  }

  func vacate(_ entity: EntityLayout, mask: UInt64, keys: [Int64]) throws {
    try run(.vacate) { try $0.vacate(entity, mask: mask, keys: keys) }
  }

  func redirect(_ relationships: [(EntityLayout, RelationshipLayout)], _ keys: [RedirectedKey]) throws {
    try run(.redirect) { try $0.redirect(relationships, keys) }
  }

  @discardableResult
  func delete(from entity: EntityLayout, keys: [Int64]) throws -> Int {
    try run(.delete) { try $0.delete(from: entity, keys: keys) }
  }

  func delete(_ request: FetchRequest) throws -> [Int64] {
    try run(.delete) { try $0.delete(request) }
  }

  // MARK: References

  func deletingWithReferences(_ body: () throws -> Void) throws -> [AffectedRows] {
    try run(.references) { try $0.deletingWithReferences(body) }
  }

  func hasBrokenReferences() throws -> Bool {
    try read(.references) { try $0?.hasBrokenReferences() ?? false }
  }

  func dropReferences(_ relationships: [(EntityLayout, RelationshipLayout)], to keys: [Int64]) throws {
    try run(.references) { try $0.dropReferences(relationships, to: keys) }
  }

  func dropPairs(_ relationships: [(EntityLayout, RelationshipLayout)], of keys: [Int64]) throws {
    try run(.pairs) { try $0.dropPairs(relationships, of: keys) }
  }

  func changePairs(
    of relationship: RelationshipLayout, in entity: EntityLayout, adding: [RelatedPair], removing: [RelatedPair]
  ) throws {
    try run(.pairs) { try $0.changePairs(of: relationship, in: entity, adding: adding, removing: removing) }
  }

  func orderPairs(of relationship: RelationshipLayout, in entity: EntityLayout, _ orders: [PairOrder]) throws {
    try run(.pairs) { try $0.orderPairs(of: relationship, in: entity, orders) }
  }

  func setPositions(_ positions: [ListOrder.Position], of relationship: RelationshipLayout, in entity: EntityLayout)
    throws
  {
    try run(.pairs) { try $0.setPositions(positions, of: relationship, in: entity) }
  }

  // MARK: Ends

  func savepoint() throws -> Int {
    try run(.savepoint) { try $0.savepoint() }
  }

  func release(_ savepoint: Int) throws {
    try run(.release) { try $0.release(savepoint) }
  }

  func rollBack(to savepoint: Int) throws {
    try trip(.rollBackToSavepoint)
    try begun().rollBack(to: savepoint)
    isAborted = false
  }

  func prepareCommit() throws {
    do {
      try check(.prepareCommit)
      try base?.prepareCommit()
    } catch {
      rollBack()
      throw error
    }
  }

  func commit() throws {
    do {
      try check(.commit)
    } catch {
      rollBack()
      throw error
    }
    hasEnded = true
    if engine.link.takeDelay() {
      nonisolated(unsafe) let delayed = base
      base = nil
      engine.link.delay { try delayed?.commit() }
      throw UnknownOutcome.error(location: engine.location, cause: RemoteLink.lossError)
    }
    let lostAnswer = engine.link.takeLostAnswer()
    if lostAnswer == false { base?.rollBack() } else { try base?.commit() }
    guard lostAnswer != nil else { return }
    throw UnknownOutcome.error(location: engine.location, cause: RemoteLink.lossError)
  }

  func rollBack() {
    hasEnded = true
    base?.rollBack()
  }
}

extension RemoteTransaction: HistoryStoreTransaction {
  func append(_ record: HistoryRecord, by editor: EditingState?) throws -> Int64 {
    try recording { try $0.append(record, by: editor) }
  }

  func deleteHistory(_ numbers: [Int64]) throws { try recording { try $0.deleteHistory(numbers) } }

  func prepareTombstones() throws { try recording { try $0.prepareTombstones() } }

  func entityNames(of keys: [Int64], in root: EntityLayout) throws -> [Int64: String] {
    try recording { try $0.entityNames(of: keys, in: root) }
  }

  func keys(of entity: EntityLayout, referringAt position: Int, to keys: [Int64]) throws -> [Int64] {
    try recording { try $0.keys(of: entity, referringAt: position, to: keys) }
  }

  private func recording<Result>(_ body: (any HistoryStoreTransaction) throws -> Result) throws -> Result {
    try run(.history) { base in
      guard let base = base as? any HistoryStoreTransaction else {
        throw SwiftDataError(.storeFailure, "The test's server keeps no history.")
      }
      return try body(base)
    }
  }
}
