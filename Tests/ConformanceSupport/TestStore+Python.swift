import SwiftData

extension TestStore {
  private var database: PythonDatabase { PythonDatabase(configuration.url) }

  /// Changes the file of a store in a way that the library does not.
  package func tamper(_ statement: String) throws { try database.run(statement) }

  /// Changes the file of a store in a separate process, as another program does that follows the store's rules.
  package func changeElsewhere(_ statement: String) throws { try database.run(statement, checksReferences: true) }

  /// The rows of a query that a person may run on the file.
  package func stored(_ query: String) throws -> [String] { try database.run(query) }
}
