import CSQLite
import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// The metadata of a store, in a table of its own. A database is recognised as a store by this table alone.
struct StoreMetadata: KeyedMetadata, Sendable, Hashable {
  private enum Key {
    static let identifier = "identifier"
    static let schema = "schema"
    static let keyProof = "encryption"
    static let files = "external files"
    static let format = "format"
    static let unicode = "unicode"
    static let writer = "writer"
  }

  /// The content of a database's metadata table.
  enum Finding {
    case store(StoreMetadata)
    /// A layout from before the first release, without a Unicode version.
    case unreleased
    /// Some of the required entries, but not all.
    case incomplete
    /// The database has no such table, or another program's table with the same name.
    case nothing
  }

  /// With the unary plus, the results are expressions. For plain columns, SQLite would also copy the columns' names.
  private static let query = "SELECT +key, +value FROM \(StoreFormat.metadataTable)"

  /// Never changes, unless the store is filled with the rows of another store and adopts its identifier.
  private(set) var identifier: String
  private(set) var schemaJSON: String
  /// The entries with which an encryption key is checked (``KeyProof``); nil if nothing is encrypted.
  var keyProof: String?
  /// Whether an earlier schema had values in external files. Some of these files may still exist.
  private(set) var mayHaveFiles = false
  /// Whether the store was migrated jointly with other stores, and the outcome of the migration is still unknown.
  private(set) var isUndecided = false
  /// The version of the table layout.
  private(set) var format = StoreFormat.version
  /// The version of Unicode with which the texts of the store were normalised.
  ///
  /// If the stored version is older than the version of the running library, opening the store for saving raises it
  /// (``UnicodeUpgrade``). A store that is opened for reading stays unchanged: predicates find a text with a scalar
  /// newer than the stored version only if its normal form has stayed the same.
  ///
  /// A stored version newer than the library's is kept. The running library does not know scalars newer than its own
  /// version. If two texts are equal only by the rules for such scalars, predicates and unique attributes treat them as
  /// different. Texts with such scalars are written without normalisation; `ModelContainer.check(repairing:)` of a
  /// newer library finds them. All other texts are the same in both versions.
  private(set) var unicode = UnicodeVersion.current
  /// The library that created the store, changed its metadata, or opened it for saving last.
  private(set) var writer: String? = StoreFormat.writer

  init(schemaJSON: String, cipher: (any ValueCipher)?) throws {
    let identifier = UUID().uuidString
    self.identifier = identifier
    self.schemaJSON = schemaJSON
    self.keyProof = try cipher.map { try KeyProof.make(with: $0, store: identifier) }
  }

  /// Reads the metadata; nil if an entry is missing.
  init?(from handle: SQLiteHandle) throws {
    guard case .store(let found) = try Self.find(in: handle) else { return nil }
    self = found
  }

  /// Reads the metadata of a database in one statement.
  ///
  /// - Throws: `SwiftDataError` of the file; a missing table is no error.
  static func find(in handle: SQLiteHandle) throws -> Finding {
    do {
      return try Rows(of: SQLiteStatement(query, on: handle)).finding
    } catch let error as SwiftDataError where (error.underlyingError as? SQLiteError)?.code == SQLITE_ERROR {
      return .nothing
    }
  }

  private init?(_ rows: Rows) {
    guard let identifier = rows.identifier, let schemaJSON = rows.schemaJSON,
      let format = rows.format.flatMap({ Int64($0) }), format > 0,
      let unicode = rows.unicode.flatMap(UnicodeVersion.init)
    else { return nil }
    (self.identifier, self.schemaJSON) = (identifier, schemaJSON)
    (self.format, self.unicode, self.writer) = (format, unicode, rows.writer)
    (self.keyProof, self.mayHaveFiles, self.isUndecided) = (rows.keyProof, rows.mayHaveFiles, rows.isUndecided)
  }

  /// Decodes the schema that the store has.
  func schema(path: String) throws -> MigrationSchema { try MigrationSchema(storedJSON: schemaJSON, path: path) }

  /// The metadata with the format and Unicode version of this library.
  func upgraded() -> StoreMetadata {
    var result = self
    (result.format, result.unicode, result.writer) = (StoreFormat.version, max(unicode, .current), StoreFormat.writer)
    return result
  }

  func migrated(
    to schemaJSON: String, cipher: (any ValueCipher)?, mayHaveFiles: Bool
  ) throws -> StoreMetadata {
    var result = upgraded()
    result.schemaJSON = schemaJSON
    result.mayHaveFiles = mayHaveFiles
    if keyProof == nil { result.keyProof = try cipher.map { try KeyProof.make(with: $0, store: identifier) } }
    return try cipher.flatMap { try result.adding($0) } ?? result
  }

  /// The metadata after the store was filled with the rows of another store, whose identifier it adopts.
  ///
  /// - Parameter cipher: The cipher of the store's values; nil if nothing is encrypted.
  func adopting(_ identifier: String, cipher: (any ValueCipher)?) throws -> StoreMetadata {
    var result = self
    result.identifier = identifier
    result.keyProof = try cipher.map { try KeyProof.make(with: $0, store: identifier) }
    return result
  }

  func write(to handle: SQLiteHandle) throws {
    let statement = try SQLiteStatement(
      "INSERT OR REPLACE INTO \(StoreFormat.metadataTable) (key, value) VALUES (?1, ?2)", on: handle)
    let values: [(String, String?)] = [
      (Key.identifier, identifier), (Key.schema, schemaJSON), (Key.keyProof, keyProof),
      (Key.files, mayHaveFiles ? "1" : nil), (Key.format, "\(format)"), (Key.unicode, "\(unicode)"),
      (Key.writer, writer),
    ]
    for case (let key, let value?) in values {
      try statement.bind(key, at: 1)
      try statement.bind(value, at: 2)
      try statement.run()
    }
  }
}

extension StoreMetadata {
  /// Records this library as the writer of a store.
  static func noteWriter(in handle: SQLiteHandle) throws {
    let statement = try SQLiteStatement(
      "INSERT OR REPLACE INTO \(StoreFormat.metadataTable) (key, value) VALUES (?1, ?2)", on: handle)
    try statement.bind(Key.writer, at: 1)
    try statement.bind(StoreFormat.writer, at: 2)
    try statement.run()
  }

  /// The raw entries of the table.
  private struct Rows {
    private(set) var identifier: String?
    private(set) var schemaJSON: String?
    private(set) var keyProof: String?
    private(set) var format: String?
    private(set) var unicode: String?
    private(set) var writer: String?
    private(set) var mayHaveFiles = false
    private(set) var isUndecided = false

    init(of statement: SQLiteStatement) throws {
      while try statement.step() {
        let key = statement.text(0) ?? ""
        switch key {
        case Key.identifier: identifier = statement.text(1)
        case Key.schema: schemaJSON = statement.text(1)
        case Key.keyProof: keyProof = statement.text(1)
        case Key.files: mayHaveFiles = true
        case Key.format: format = statement.text(1)
        case Key.unicode: unicode = statement.text(1)
        case Key.writer: writer = statement.text(1)
        default: isUndecided = isUndecided || JointNote.isNote(key)
        }
      }
    }

    var finding: Finding {
      if let metadata = StoreMetadata(self) { return .store(metadata) }
      if identifier != nil, schemaJSON != nil, unicode == nil { return .unreleased }
      return identifier == nil && schemaJSON == nil && format == nil && unicode == nil ? .nothing : .incomplete
    }
  }
}
