#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// The metadata of a store: the rows of a table. A namespace that contains this table is a store.
  struct PostgresMetadata: KeyedMetadata, Sendable, Hashable {
    /// The version of the layout of the store's tables.
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

    /// The row that migrations lock, so that only one runs at a time.
    static var schemaKey: String { Key.schema }

    /// The store's identifier. It only changes if another store is copied to this one, which then gets its identifier.
    let identifier: String
    private(set) var schemaJSON: String
    private(set) var format: Int64
    /// The version of Unicode by which the stored form of the texts was computed.
    private(set) var unicode: UnicodeVersion
    /// How many schemas the store has had, including the present one (``PostgresSchemaMark``).
    private(set) var schemaNumber: Int64
    /// Encrypted values that show whether a key is the right one (``KeyProof``); nil if nothing is encrypted.
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

    /// Reads the metadata of a namespace; nil if the table lacks a required entry.
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

    /// The metadata with the format and the Unicode version of this library.
    func upgraded() -> PostgresMetadata {
      var result = self
      (result.format, result.unicode) = (Self.currentFormat, max(unicode, .current))
      return result
    }

    /// The metadata as it is after a migration.
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

    /// The table that each transaction locks, so that it excludes migrations.
    func mark(_ dialect: PostgresDialect) -> PostgresSchemaMark {
      PostgresSchemaMark(number: schemaNumber, dialect: dialect)
    }

    /// The decoded schema of the store.
    func schema(path: String) throws -> MigrationSchema { try MigrationSchema(storedJSON: schemaJSON, path: path) }

    func statements(_ dialect: PostgresDialect) throws -> [PostgresStatement] {
      let table = dialect.table(Self.table)
      let values = [
        (Key.identifier, identifier), (Key.schema, schemaJSON), (Key.format, "\(format)"),
        (Key.unicode, "\(unicode)"), (Key.schemaNumber, "\(schemaNumber)"), (Key.writer, Self.writer),
      ]
      return try values.map { try Self.writing($0, $1, table) } + proofStatements(dialect)
    }

    /// The statements that write the key proof.
    func proofStatements(_ dialect: PostgresDialect) throws -> [PostgresStatement] {
      guard let keyProof else { return [] }
      return [try Self.writing(Key.keyProof, keyProof, dialect.table(Self.table))]
    }

    /// The statement that replaces the key proof. It changes no row if another program has replaced it meanwhile.
    func replacingProof(with other: PostgresMetadata, _ dialect: PostgresDialect) throws -> PostgresStatement {
      var parameters = PostgresParameters()
      try parameters.append(other.keyProof ?? "")
      try parameters.append(Key.keyProof)
      try parameters.append(keyProof ?? "")
      return PostgresStatement(
        "UPDATE \(dialect.table(Self.table)) SET \"value\" = $1::text WHERE \"key\" = $2::text AND \"value\" = $3::text",
        parameters)
    }

    /// The statements that give a store the identifier of the store from which its rows are copied.
    ///
    /// - Parameter cipher: The cipher for the store's values; nil if nothing is encrypted.
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

    /// The statement that writes one entry.
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
