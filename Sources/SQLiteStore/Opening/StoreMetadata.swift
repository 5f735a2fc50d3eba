import Foundation
import PersistenceRuntime
import PersistenceSupport

/// What a store says about itself.
struct StoreMetadata: Sendable, Hashable {
  private enum Key {
    static let identifier = "identifier"
    static let schema = "schema"
    static let keyProof = "encryption"
    static let files = "external files"
    static let format = "format"
  }

  private static let query = "SELECT key, value FROM \(StoreFormat.metadataTable)"

  /// Stays with the file for its life.
  let identifier: String
  private(set) var schemaJSON: String
  /// What was sealed with the store's keys, so that another key is found out; nil when nothing is encrypted.
  private(set) var keyProof: String?
  /// Whether an earlier schema kept values in files, which may have been left behind.
  private(set) var mayHaveFiles = false
  /// Whether it was migrated as one of several stores, and it is not known yet whether all of them were.
  private(set) var isUndecided = false
  /// How the tables are laid out.
  private(set) var format = StoreFormat.version
  /// The format as it stands among the rest, where the store's header need not be asked for it; nil in older stores.
  private(set) var writtenFormat: Int64?

  init(schemaJSON: String, cipher: (any ValueCipher)?) throws {
    let identifier = UUID().uuidString
    self.identifier = identifier
    self.schemaJSON = schemaJSON
    self.keyProof = try cipher.map { try KeyProof.make(with: $0, store: identifier) }
  }

  /// Reads what a store says, nil when something is missing.
  ///
  /// - Parameter format: The number of its format, where that has been read already.
  init?(from handle: SQLiteHandle, format: Int64? = nil) throws {
    let statement = try SQLiteStatement(Self.query, on: handle)
    var identifier: String?
    var schemaJSON: String?
    while try statement.step() {
      let key = statement.text(0) ?? ""
      switch key {
      case Key.identifier: identifier = statement.text(1)
      case Key.schema: schemaJSON = statement.text(1)
      case Key.keyProof: keyProof = statement.text(1)
      case Key.files: mayHaveFiles = true
      case Key.format: writtenFormat = statement.text(1).flatMap { Int64($0) }
      default: isUndecided = isUndecided || JointNote.isNote(key)
      }
    }
    guard let identifier, let schemaJSON else { return nil }
    self.identifier = identifier
    self.schemaJSON = schemaJSON
    self.format = try format ?? writtenFormat ?? StoreFormat.version(of: handle)
  }

  /// What the store says when it has been upgraded.
  func upgraded() -> StoreMetadata {
    var result = self
    result.format = StoreFormat.version
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

  /// What the store says when values may be sealed with the present key of a cipher too; nil when it says so already.
  func adding(_ cipher: any ValueCipher) throws -> StoreMetadata? {
    guard let keyProof, let proofs = try KeyProof.adding(cipher, to: keyProof, store: identifier) else { return nil }
    var result = self
    result.keyProof = proofs
    return result
  }

  /// What the store says when all values are sealed with the present key of a cipher.
  func sealed(with cipher: any ValueCipher) throws -> StoreMetadata {
    var result = self
    result.keyProof = try KeyProof.make(with: cipher, store: identifier)
    return result
  }

  /// - Throws: `SwiftDataError.encryptionKeyWrong` when values may be sealed with a key that the cipher lacks.
  func check(_ cipher: any ValueCipher, path: String) throws {
    guard let keyProof else {
      throw SwiftDataError(
        .storeCorrupt, "The store at \(path) does not say which key it is encrypted with. Restore it from a backup.")
    }
    guard !KeyProof.isValid(keyProof, for: cipher, store: identifier) else { return }
    throw SwiftDataError(
      .encryptionKeyWrong,
      "The store at \(path) is encrypted with another key than the configuration gives. Open it with the key that it was "
        + "made with; while its key is being changed, with the new one as encryptionKey and the others in "
        + "formerEncryptionKeys. It has not been changed.")
  }

  func write(to handle: SQLiteHandle) throws {
    let statement = try SQLiteStatement(
      "INSERT OR REPLACE INTO \(StoreFormat.metadataTable) VALUES (?1, ?2)", on: handle)
    let values: [(String, String?)] = [
      (Key.identifier, identifier), (Key.schema, schemaJSON), (Key.keyProof, keyProof),
      (Key.files, mayHaveFiles ? "1" : nil), (Key.format, "\(format)"),
    ]
    for case (let key, let value?) in values {
      try statement.bind(key, at: 1)
      try statement.bind(value, at: 2)
      try statement.run()
    }
  }
}
