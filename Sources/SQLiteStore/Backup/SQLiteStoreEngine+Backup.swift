import PersistenceRuntime
import PersistenceSupport

extension SQLiteStoreEngine {
  package func backUp(to path: String, _ work: StoreWork) throws -> [String] {
    try withOwnConnection { connection in
      try connection.handle.working(on: work) {
        let backup = StoreBackup(
          of: connection, externalFolder: externalFolder, to: path, work: work,
          locking: { try self.pool.openOwn() })
        return try backup.run()
      }
    }
  }
}
