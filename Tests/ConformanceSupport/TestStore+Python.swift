import SwiftData

extension TestStore {
  private var database: PythonDatabase { PythonDatabase(configuration.url) }

  /// Changes the file of a store as no code of the library would.
  package func tamper(_ statement: String) throws { try database.run(statement) }

  /// Changes the file of a store in a process of its own, as another program would that keeps to its rules.
  package func changeElsewhere(_ statement: String) throws { try database.run(statement, checksReferences: true) }

  /// The rows of a statement that a person might try on the file.
  package func stored(_ query: String) throws -> [String] { try database.run(query) }
}
