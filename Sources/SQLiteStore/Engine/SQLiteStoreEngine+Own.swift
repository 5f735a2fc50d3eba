import PersistenceRuntime
import PersistenceSupport

extension SQLiteStoreEngine {
  /// Runs a long operation with a connection that nobody else has, so that reads have all of theirs meanwhile.
  ///
  /// A store in memory has one connection for everything, which others wait for.
  ///
  /// - Parameter forChanges: Whether the connection is to change rows.
  func withOwnConnection<Result>(
    forChanges: Bool = false, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    guard !configuration.isInMemory else {
      let connection = try pool.takeReader()
      defer { pool.giveBackReader(connection) }
      guard !connection.handle.isInTransaction else { throw nestedError }
      return try body(connection)
    }
    let connection = try pool.openOwn(forChanges: forChanges)
    defer { pool.log.readerDidEnd() }
    return try body(connection)
  }
}
