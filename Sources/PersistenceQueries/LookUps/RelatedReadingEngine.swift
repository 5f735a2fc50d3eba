import PersistenceRuntime

/// A store that reads a row and its related rows in one round trip.
package protocol RelatedReadingEngine: StoreEngine {
  /// Fetches a row and the rows of one of its relationships, and passes both to closures, as a fetch passes its rows.
  ///
  /// - Parameters:
  ///   - request: Selects one row by its key.
  ///   - members: Selects the related rows of that row.
  ///   - transaction: The transaction whose uncommitted rows are visible; nil for committed rows.
  ///   - body: Receives the row.
  ///   - related: Receives the related rows, after `body`.
  /// - Throws: `SwiftDataError` of the store, or the error of a closure.
  func fetch(
    _ request: FetchRequest, with members: MemberRequest, in transaction: (any StoreTransaction)?,
    _ body: (EngineRows) throws -> Void, related: (EngineRows) throws -> Void) throws
}
