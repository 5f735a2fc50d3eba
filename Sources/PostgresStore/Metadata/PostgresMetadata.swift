#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// The metadata of a store, in a table of its own. A namespace with this table is a store.
  struct PostgresMetadata: KeyedMetadata, Sendable, Hashable {
    /// The version of the table layout.
    ///
    /// 1: the first version.
    static let currentFormat: Int64 = 1
    static let table = DatabaseMapping.ownPrefix + "metadata"
    static let writer = "OpenSwiftData"

    private enum Key {
      static let identifier = "identifier"
      static let schema = "schema"
      static let format = "format"
      static let unicode = "unicode"
      static let writer = "writer"
      static let schemaNumber = "schema number"
      static let keyProof = "encryption"
    }

    /// The row that migrations lock.
    static var schemaKey: String { Key.schema }

    /// Constant for the life of the store, except that a store filled with another store's rows adopts its identifier.
    let identifier: String
    private(set) var schemaJSON: String
    private(set) var format: Int64
    /// The version of Unicode that defines the stored form of the texts.
    private(set) var unicode: UnicodeVersion
    /// The number of schemas that the store has had (``PostgresSchemaMark``).
    private(set) var schemaNumber: Int64
    /// The values that verify the encryption keys (``KeyProof``); nil if nothing is encrypted.
    var keyProof: String?

    /// The metadata of a new store.
    init(schemaJSON: String, cipher: (any ValueCipher)?) throws {
      identifier = UUID().uuidString
      self.schemaJSON = schemaJSON
      format = Self.currentFormat
      unicode = .current
      schemaNumber = 1
      keyProof = try makeProof(with: cipher)
    }

    /// Reads the metadata of a namespace; nil if the table is missing, or lacks a required entry.
    init?(from connection: PostgresConnection, _ dialect: PostgresDialect) throws {
      let result = try connection.run(
        PostgresStatement("SELECT \"key\", \"value\" FROM \(dialect.table(Self.table))"))
      var values: [String: String] = [:]
      for row in 0..<result.rowCount { values[result.text(row, 0) ?? ""] = result.text(row, 1) }
      guard let identifier = values[Key.identifier], let schemaJSON = values[Key.schema],
        let format = values[Key.format].flatMap({ Int64($0) }),
        let unicode = values[Key.unicode].flatMap({ UnicodeVersion($0) }),
        let schemaNumber = values[Key.schemaNumber].flatMap({ Int64($0) })
      else { return nil }
      (self.identifier, self.schemaJSON, self.format) = (identifier, schemaJSON, format)
      (self.unicode, self.schemaNumber) = (unicode, schemaNumber)
      keyProof = values[Key.keyProof]
    }

    /// The metadata with the format and Unicode version of this library.
    func upgraded() -> PostgresMetadata {
      var result = self
      (result.format, result.unicode) = (Self.currentFormat, max(unicode, .current))
      return result
    }

    /// The metadata after a migration.
    func migrated(to schemaJSON: String, cipher: (any ValueCipher)?) throws -> PostgresMetadata {
      var result = upgraded()
      result.schemaJSON = schemaJSON
      result.schemaNumber += 1
      if keyProof == nil { result.keyProof = try makeProof(with: cipher) }
      return try cipher.flatMap { try result.adding($0) } ?? result
    }

    private func makeProof(with cipher: (any ValueCipher)?) throws -> String? {
      try cipher.map { try KeyProof.make(with: $0, store: identifier) }
    }

    // MARK: Writing

    /// The table that transactions lock against migrations (``PostgresSchemaMark``).
    func mark(_ dialect: PostgresDialect) -> PostgresSchemaMark {
      PostgresSchemaMark(number: schemaNumber, dialect: dialect)
    }

    /// The schema that the store has, decoded.
    func schema(path: String) throws -> MigrationSchema { try MigrationSchema(storedJSON: schemaJSON, path: path) }

    /// The statements that write all metadata.
    func statements(_ dialect: PostgresDialect) throws -> [PostgresStatement] {
      let table = dialect.table(Self.table)
      let values = [
        (Key.identifier, identifier), (Key.schema, schemaJSON), (Key.format, "\(format)"),
        (Key.unicode, "\(unicode)"), (Key.schemaNumber, "\(schemaNumber)"), (Key.writer, Self.writer),
      ]
      return try values.map { try Self.writing($0, $1, table) } + proofStatements(dialect)
    }

    /// The statements that write the key proofs.
    func proofStatements(_ dialect: PostgresDialect) throws -> [PostgresStatement] {
      guard let keyProof else { return [] }
      return [try Self.writing(Key.keyProof, keyProof, dialect.table(Self.table))]
    }

    /// The statement that writes the key proofs, unless another program has changed them meanwhile.
    func replacingProof(with other: PostgresMetadata, _ dialect: PostgresDialect) throws -> PostgresStatement {
      var parameters = PostgresParameters()
      try parameters.append(other.keyProof ?? "")
      try parameters.append(Key.keyProof)
      try parameters.append(keyProof ?? "")
      return PostgresStatement(
        "UPDATE \(dialect.table(Self.table)) SET \"value\" = $1::text WHERE \"key\" = $2::text AND \"value\" = $3::text",
        parameters)
    }

    /// The statements that let a store adopt the identifier of the store whose rows it receives.
    ///
    /// - Parameter cipher: The cipher of the store's values; nil if nothing is encrypted.
    static func adopting(
      _ identifier: String, _ dialect: PostgresDialect, cipher: (any ValueCipher)?
    ) throws -> [PostgresStatement] {
      let table = dialect.table(Self.table)
      var statements = [try writing(Key.identifier, identifier, table)]
      if let cipher {
        statements.append(try writing(Key.keyProof, KeyProof.make(with: cipher, store: identifier), table))
      }
      return statements
    }

    /// The statement that writes one metadata entry.
    static func writing(_ key: String, _ value: String, _ table: String) throws -> PostgresStatement {
      var parameters = PostgresParameters()
      try parameters.append(key)
      try parameters.append(value)
      return PostgresStatement(
        "INSERT INTO \(table) (\"key\", \"value\") VALUES ($1::text, $2::text) "
          + "ON CONFLICT (\"key\") DO UPDATE SET \"value\" = excluded.\"value\"", parameters)
    }
  }
#endif
