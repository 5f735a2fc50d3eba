import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Converts stored values when a migration changes their encryption, their storage in files or their numeric type. It
/// decrypts and reads each value as the old schema stores it, and encrypts and stores it as the new schema requires.
package struct OutOfRowValueChange {
  /// Reads and writes values in files.
  package struct Files {
    /// Returns the bytes of the file to which a column refers, and marks the file for removal.
    let take: (String) throws -> Data
    /// Writes bytes to a file and returns the reference for the column; nil if the bytes are to be stored in the
    /// column.
    let keep: (Data) throws -> String?

    package init(take: @escaping (String) throws -> Data, keep: @escaping (Data) throws -> String?) {
      self.take = take
      self.keep = keep
    }
  }

  private let old: OutOfRowValue?
  private let new: OutOfRowValue?
  private let name: String
  /// The column format of the new numeric type, if integers must be converted to it; otherwise nil.
  private let widened: ColumnFormat?
  private let cipher: (any ValueCipher)?
  private let files: Files?

  /// - Parameters:
  ///   - name: The entity and the property, for messages.
  ///   - widened: The column format of the new numeric type, if integers must be converted to it; otherwise nil.
  ///   - files: Access to files; nil if neither schema stores the values in files.
  package init(
    of name: String, from old: OutOfRowValue?, to new: OutOfRowValue?, widened: ColumnFormat?,
    cipher: (any ValueCipher)?, files: Files? = nil
  ) {
    self.old = old
    self.new = new
    self.name = name
    self.widened = widened
    self.cipher = cipher
    self.files = files
  }

  /// Returns the new value of a column.
  ///
  /// - Parameter row: The key of the row, for messages.
  package func changed(_ stored: StoredValue, row: Int64) throws -> StoredValue {
    let value = try converted(opened(stored), row: row)
    guard let new else { return value }
    guard new.isEncrypted else { return try externalized(value) }
    let sealed = try value.packed.withUnsafeBytes {
      try key().seal($0, entity: new.entity, property: new.property)
    }
    return try externalized(.blob(sealed))
  }

  private func opened(_ stored: StoredValue) throws -> StoredValue {
    var value = stored
    if let files, old?.isExternal == true, case .text(let reference) = stored {
      value = .blob(try files.take(reference))
    }
    guard let old, old.isEncrypted else { return value }
    guard case .blob(let bytes) = value else { throw corrupt(old, nil) }
    let packed: Data
    do {
      packed = try bytes.withUnsafeBytes { try key().open($0, entity: old.entity, property: old.property) }
    } catch let error as SwiftDataError {
      throw error
    } catch {
      throw corrupt(old, error)
    }
    guard let value = StoredValue(packed: packed) else { throw corrupt(old, nil) }
    return value
  }

  /// Converts an integer to the new numeric type. Returns any other value unchanged.
  private func converted(_ value: StoredValue, row: Int64) throws -> StoredValue {
    guard let widened else { return value }
    switch (widened, value) {
    case (.real, .integer(let number)):
      guard let exact = Double(exactly: number) else { throw rounded(row) }
      return .real(exact)
    case (.real, .blob): throw rounded(row)
    case (.decimal, .integer(let number)): return .text("\(number)")
    case (.decimal, .blob(let bytes)) where bytes.count == 8:
      // Integers above `Int64.max` are stored as big-endian bytes.
      return .text("\(bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })")
    default: return value
    }
  }

  private func externalized(_ value: StoredValue) throws -> StoredValue {
    guard new?.isExternal == true, case .blob(let bytes) = value, let reference = try files?.keep(bytes) else {
      return value
    }
    return .text(reference)
  }

  private func key() throws -> any ValueCipher {
    guard let cipher else { throw SwiftDataError(.encryptionKeyMissing) }
    return cipher
  }

  /// The error for an integer that `Double` cannot represent. The message must not contain the number, because the
  /// number is encrypted before or after the change.
  private func rounded(_ row: Int64) -> SwiftDataError {
    SwiftDataError(
      .modelValidationFailure,
      "\(name) became a floating-point number, which would round what row \(row) has. Round it in willMigrate of a "
        + ".custom stage first.")
  }

  private func corrupt(_ outOfRow: OutOfRowValue, _ error: (any Error)?) -> SwiftDataError {
    SwiftDataError(
      .corruptValue,
      "a value of \(outOfRow.entity).\(outOfRow.property) was changed, or is not encrypted with the store's key; "
        + "restore the store from a backup", underlying: error)
  }
}
