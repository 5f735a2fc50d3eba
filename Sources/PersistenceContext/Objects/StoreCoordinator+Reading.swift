import PersistenceRuntime
import PersistenceSupport

// Reads whose rows are handed to code that may read others: initialisers of values, observers, deinitialisers. For an
// engine that cannot nest statements, the rows are copied first.

extension StoreCoordinator {
  /// Runs a fetch and lends its rows to code that may read others.
  ///
  /// - Throws: `SwiftDataError` of the store, or the error of `body`.
  package func fetch(
    _ request: FetchRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    guard !nestsReads else { return try engine.fetch(request, in: transaction, body) }
    try drain(request.columnCount, body) { try engine.fetch(request, in: transaction, $0) }
  }

  /// Fetches related models and lends their rows to code that may read others.
  ///
  /// - Throws: `SwiftDataError` of the store, or the error of `body`.
  package func members(
    _ request: MemberRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    guard !nestsReads else { return try engine.members(request, in: transaction, body) }
    try drain(request.columns.position + 1, body) { try engine.members(request, in: transaction, $0) }
  }

  /// Runs an aggregation and lends the results to code that may read others.
  ///
  /// - Throws: `SwiftDataError` of the store, or the error of `body`.
  package func aggregate(
    _ request: AggregateRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    guard !nestsReads else { return try engine.aggregate(request, in: transaction, body) }
    let columnCount = Int32(request.columns.count) + (request.group == nil ? 0 : 1)
    try drain(columnCount, body) { try engine.aggregate(request, in: transaction, $0) }
  }

  /// Whether the calling thread is within a read. Remote changes must wait: the read may go on with older rows.
  package var isReadingHere: Bool {
    engine.isReadingHere || (!nestsReads && drainedReads.withLock { $0[ThreadIdentity.current] != nil })
  }

  private func drain(
    _ columnCount: Int32, _ body: (EngineRows) throws -> Void, _ read: ((EngineRows) throws -> Void) throws -> Void
  ) throws {
    var drained: (copies: DrainedRows, rows: EngineRows)?
    try read { source in
      let copies = try DrainedRows(source, columnCount: columnCount)
      drained = (copies, copies.rows(like: source))
    }
    guard let drained else { return }
    let thread = ThreadIdentity.current
    drainedReads.withLock { $0[thread, default: 0] += 1 }
    defer { drainedReads.withLock { $0[thread] = $0[thread].flatMap { $0 > 1 ? $0 - 1 : nil } } }
    try withExtendedLifetime(drained.copies) { try body(drained.rows) }
  }
}

extension FetchRequest {
  /// The number of columns of a row.
  fileprivate var columnCount: Int32 {
    let end = EntityColumns.all(of: self).nameColumn
    return entity.inheritance == nil ? end : end + 1
  }
}
