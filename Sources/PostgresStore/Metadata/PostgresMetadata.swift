#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// What a store says about itself, in a table of its own. The table alone makes a namespace a store.
  struct PostgresMetadata: KeyedMetadata, Sendable, Hashable {
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
      static let schemaNumber = "schema number"
      static let keyProof = "encryption"
    }

    /// The row that migrations lock.
    static var schemaKey: String { Key.schema }

    /// Stays with the store for its life, but for one that is filled with the rows of another one.
    let identifier: String
    private(set) var schemaJSON: String
    private(set) var format: Int64
    /// The version of Unicode by which texts are in their stored form.
    private(set) var unicode: UnicodeVersion
    /// How many schemas the store has had (``PostgresSchemaMark``).
    private(set) var schemaNumber: Int64
    /// The proofs of the keys that values are sealed with (``KeyProof``); nil when nothing is encrypted.
    var keyProof: String?

    /// What a new store says.
    init(schemaJSON: String, cipher: (any ValueCipher)?) throws {
      identifier = UUID().uuidString
      self.schemaJSON = schemaJSON
      format = Self.currentFormat
      unicode = .current
      schemaNumber = 1
      keyProof = try makeProof(with: cipher)
    }

    /// Reads what a namespace says about itself; nil where it has no such table, or one that says less than every store does.
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

    /// What the store says that is of this version's format and Unicode.
    func upgraded() -> PostgresMetadata {
      var result = self
      (result.format, result.unicode) = (Self.currentFormat, max(unicode, .current))
      return result
    }

    /// What the store says when it has been migrated.
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

    /// The table that says that the store has its present schema.
    func mark(_ dialect: PostgresDialect) -> PostgresSchemaMark {
      PostgresSchemaMark(number: schemaNumber, dialect: dialect)
    }

    /// The schema that the store has, decoded.
    func schema(path: String) throws -> MigrationSchema { try MigrationSchema(storedJSON: schemaJSON, path: path) }

    /// The statements that write all of it.
    func statements(_ dialect: PostgresDialect) throws -> [PostgresStatement] {
      let table = dialect.table(Self.table)
      let values = [
        (Key.identifier, identifier), (Key.schema, schemaJSON), (Key.format, "\(format)"),
        (Key.unicode, "\(unicode)"), (Key.schemaNumber, "\(schemaNumber)"), (Key.writer, Self.writer),
      ]
      return try values.map { try Self.writing($0, $1, table) } + proofStatements(dialect)
    }

    /// Those that write which keys values are sealed with.
    func proofStatements(_ dialect: PostgresDialect) throws -> [PostgresStatement] {
      guard let keyProof else { return [] }
      return [try Self.writing(Key.keyProof, keyProof, dialect.table(Self.table))]
    }

    /// The statement that writes which keys values are sealed with, unless another program has done it meanwhile.
    func replacingProof(with other: PostgresMetadata, _ dialect: PostgresDialect) throws -> PostgresStatement {
      var parameters = PostgresParameters()
      try parameters.append(other.keyProof ?? "")
      try parameters.append(Key.keyProof)
      try parameters.append(keyProof ?? "")
      return PostgresStatement(
        "UPDATE \(dialect.table(Self.table)) SET \"value\" = $1::text WHERE \"key\" = $2::text AND \"value\" = $3::text",
        parameters)
    }

    /// The statements that give a store the identifier of the one whose rows it gets.
    ///
    /// - Parameter cipher: Seals the values that it has; nil when nothing is encrypted.
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

    /// The statement that writes one thing that a store says.
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
