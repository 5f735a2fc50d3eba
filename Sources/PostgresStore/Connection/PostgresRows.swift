#if PostgreSQL
  import PersistenceSupport

  /// The rows of one statement, as they come. Confined to the owner of the connection.
  package final class PostgresRows {
    private let handle: PostgresHandle
    private let sql: String
    /// Whether giving up the statement undoes nothing else.
    private let mayCancel: Bool
    private(set) var isDone = false

    /// Runs once after the last row.
    private let didEnd: () -> Void
    private let didFail: (PostgresError) -> Void

    init(
      _ handle: PostgresHandle, sql: String, mayCancel: Bool, didFail: @escaping (PostgresError) -> Void,
      didEnd: @escaping () -> Void
    ) {
      self.didEnd = didEnd
      self.didFail = didFail
      self.handle = handle
      self.sql = sql
      self.mayCancel = mayCancel
    }

    // Rows that nobody read would be taken for those of the next statement.
    deinit { close() }

    /// The next row, in row 0 of the result; nil after the last one.
    ///
    /// - Throws: What the server says of the statement, which may be after rows of it.
    package func next() throws -> PostgresResult? {
      guard !isDone else { return nil }
      let result: PostgresResult?
      do {
        result = try handle.nextResult()
      } catch {
        isDone = true
        throw error
      }
      guard let result else {
        finish()
        return nil
      }
      switch result.status {
      case .oneRow: return result
      case .failed:
        finish()
        didFail(result.error(sql: nil))
        throw handle.error(of: result, sql: sql)
      default:
        finish()
        return nil
      }
    }

    /// Gives up the rows that are not read.
    package func close() {
      // The end of few rows is there already, and asking the server takes another connection.
      var patience = 100
      while !isDone, patience > 0, handle.hasResult {
        _ = try? next()
        patience -= 1
      }
      guard !isDone else { return }
      // The server stops sooner when it is asked to; what it has sent is read away in either case.
      if mayCancel { handle.cancel() }
      finish()
    }

    private func finish() {
      guard !isDone else { return }
      isDone = true
      defer { didEnd() }
      // An error here is that of the connection, which the next statement meets, or of the statement that was given up.
      while let result = try? handle.nextResult() { _ = result }
    }
  }
#endif
