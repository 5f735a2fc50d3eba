import SwiftData

extension TestStore {
  private var database: PythonDatabase { PythonDatabase(configuration.url) }

  /// Changes the store's file in a way in which the library would never change it.
  package func tamper(_ statement: String) throws { try database.run(statement) }

  /// Changes the store's file in a separate process, like another program that respects the foreign keys of the store.
  package func changeElsewhere(_ statement: String) throws { try database.run(statement, checksReferences: true) }

  /// The rows of a query that a separate process runs on the store's file.
  package func stored(_ query: String) throws -> [String] { try database.run(query) }
}
