import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

extension SQLiteStoreEngine: MovableEngine {
  /// During the call, all reads of the thread use one connection and one snapshot.
  package func readingAtOneMoment(_ body: ((any StoreTransaction)?) throws -> Void) throws {
    let connection = try pool.takeReader()
    defer { pool.giveBackReader(connection) }
    guard !connection.handle.isInTransaction else { throw nestedError }
    try connection.inOneSnapshot { try body(nil) }
  }

  package func nextKeys(at moment: (any StoreTransaction)?) throws -> [String: Int64] {
    try withConnection(of: moment) { connection in
      var result: [String: Int64] = [:]
      for table in connection.database.tables where !table.isShared {
        result[table.entity.name] = try connection.nextKey(of: table)
      }
      return result
    }
  }

  /// Begins an ordinary write transaction, as SQLite has only one at a time.
  package func beginFilling() throws -> any StoreTransaction { try begin() }

  package func adopt(_ identity: AdoptedIdentity, in transaction: any StoreTransaction) throws {
    try withConnection(of: transaction) { connection in
      guard let metadata = try StoreMetadata(from: connection.handle) else {
        throw StoreRecognition.incompleteError(connection.handle)
      }
      try metadata.adopting(identity.identifier, cipher: cipher).write(to: connection.handle)
      for table in connection.database.tables {
        guard let next = identity.nextKeys[table.entity.name] else { continue }
        try connection.setNextKey(max(next, connection.nextKey(of: table)), of: table)
      }
      if identity.lastRecord > 0 { try RestoredHistory(last: identity.lastRecord).goOn(in: connection.handle) }
    }
  }
}
