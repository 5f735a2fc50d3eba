import CSQLite
import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// What a store says about itself, in a table of its own. The table alone makes a database a store.
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

  /// What the table of a database says.
  enum Finding {
    case store(StoreMetadata)
    /// A form from before the first release: it says nothing of Unicode.
    case unreleased
    /// Some of what every store says, and not all.
    case incomplete
    /// There is no such table, or it is another program's.
    case nothing
  }

  /// The signs make expressions of the columns: SQLite copies the names of result columns, which are not needed here.
  private static let query = "SELECT +key, +value FROM \(StoreFormat.metadataTable)"

  /// Stays with the file for its life, but for a store that is filled with the rows of another one.
  private(set) var identifier: String
  private(set) var schemaJSON: String
  /// The proofs of the keys that values are sealed with (``KeyProof``); nil when nothing is encrypted.
  var keyProof: String?
  /// Whether an earlier schema kept values in files, which may have been left behind.
  private(set) var mayHaveFiles = false
  /// Whether it was migrated as one of several stores, and it is not known yet whether all of them were.
  private(set) var isUndecided = false
  /// How the tables are laid out.
  private(set) var format = StoreFormat.version
  /// The version of Unicode by which texts are in their stored form.
  ///
  /// An older version than that of the running library is raised when the store is opened for saving (``UnicodeUpgrade``).
  /// Opened for reading, the store is read as it is: a text with a scalar that is new to the noted version is found by
  /// predicates only where its normal form stayed the same.
  ///
  /// A newer version stays noted, and the store is used as it is. The running library knows nothing of scalars that are
  /// newer than itself: two texts that such scalars alone make equal are two values to it, in predicates and for
  /// uniqueness, and it stores those that it writes as they are. `ModelContainer.check(repairing:)` of a newer library
  /// finds these. All other texts are the same in both versions.
  private(set) var unicode = UnicodeVersion.current
  /// The library that made the store, changed what it says about itself, or opened it for saving last.
  private(set) var writer: String? = StoreFormat.writer

  init(schemaJSON: String, cipher: (any ValueCipher)?) throws {
    let identifier = UUID().uuidString
    self.identifier = identifier
    self.schemaJSON = schemaJSON
    self.keyProof = try cipher.map { try KeyProof.make(with: $0, store: identifier) }
  }

  /// Reads what a store says, nil when something is missing.
  init?(from handle: SQLiteHandle) throws {
    guard case .store(let found) = try Self.find(in: handle) else { return nil }
    self = found
  }

  /// Reads what a database says about itself, in one statement.
  ///
  /// - Throws: `SwiftDataError` of the file, and nothing because of a missing table.
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

  /// The schema that the store has, decoded.
  func schema(path: String) throws -> MigrationSchema { try MigrationSchema(storedJSON: schemaJSON, path: path) }

  /// What a store says that is of this version's format and Unicode.
  func upgraded() -> StoreMetadata {
    var result = self
    (result.format, result.unicode, result.writer) = (StoreFormat.version, max(unicode, .current), StoreFormat.writer)
    return result
  }

  /// What the store says when it has been migrated.
  func migrated(
    to schemaJSON: String, cipher: (any ValueCipher)?, mayHaveFiles: Bool
  ) throws -> StoreMetadata {
    var result = upgraded()
    result.schemaJSON = schemaJSON
    result.mayHaveFiles = mayHaveFiles
    if keyProof == nil { result.keyProof = try cipher.map { try KeyProof.make(with: $0, store: identifier) } }
    return try cipher.flatMap { try result.adding($0) } ?? result
  }

  /// What the store says when it has the rows of another one, and its identifier with them.
  ///
  /// - Parameter cipher: Seals the values that it has; nil when nothing is encrypted.
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
  /// Notes in a store that this version of the library writes to it.
  static func noteWriter(in handle: SQLiteHandle) throws {
    let statement = try SQLiteStatement(
      "INSERT OR REPLACE INTO \(StoreFormat.metadataTable) (key, value) VALUES (?1, ?2)", on: handle)
    try statement.bind(Key.writer, at: 1)
    try statement.bind(StoreFormat.writer, at: 2)
    try statement.run()
  }

  /// The rows of the table, as they are.
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
