#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// What a store says about itself, in a table of its own. The table alone makes a namespace a store.
  struct PostgresMetadata: Sendable, Hashable {
    /// The number of the layout of tables.
    ///
    /// 1: the first.
    static let currentFormat: Int64 = 1
    static let table = DatabaseMapping.ownPrefix + "metadata"
    static let writer = "OpenSwiftData"

    private enum Key {
      static let identifier = "identifier"
      static let schema = "schema"
      static let format = "format"
      static let unicode = "unicode"
      static let writer = "writer"
    }

    /// The row with the identifier.
    static var identifierKey: String { Key.identifier }

    /// Stays with the store for its life, but for one that is filled with the rows of another one.
    let identifier: String
    let schemaJSON: String
    let format: Int64
    /// The version of Unicode by which texts are in their stored form.
    let unicode: String

    /// What a new store says.
    init(schemaJSON: String) {
      identifier = UUID().uuidString
      self.schemaJSON = schemaJSON
      format = Self.currentFormat
      unicode = StoredText.unicodeVersion
    }

    /// Reads what a namespace says about itself; nil where it has no such table, or one that says less than every store does.
    init?(from connection: PostgresConnection, _ dialect: PostgresDialect) throws {
      let result = try connection.run(
        PostgresStatement("SELECT \"key\", \"value\" FROM \(dialect.table(Self.table))"))
      var values: [String: String] = [:]
      for row in 0..<result.rowCount { values[result.text(row, 0) ?? ""] = result.text(row, 1) }
      guard let identifier = values[Key.identifier], let schemaJSON = values[Key.schema],
        let format = values[Key.format].flatMap({ Int64($0) }), let unicode = values[Key.unicode]
      else { return nil }
      (self.identifier, self.schemaJSON, self.format, self.unicode) = (identifier, schemaJSON, format, unicode)
    }

    /// The statements that write all of it.
    func statements(_ dialect: PostgresDialect) throws -> [PostgresStatement] {
      let table = dialect.table(Self.table)
      let values = [
        (Key.identifier, identifier), (Key.schema, schemaJSON), (Key.format, "\(format)"), (Key.unicode, unicode),
        (Key.writer, Self.writer),
      ]
      return try values.map { key, value in
        var parameters = PostgresParameters()
        try parameters.append(key)
        try parameters.append(value)
        return PostgresStatement(
          "INSERT INTO \(table) (\"key\", \"value\") VALUES ($1::text, $2::text) "
            + "ON CONFLICT (\"key\") DO UPDATE SET \"value\" = excluded.\"value\"", parameters)
      }
    }
  }
#endif
