import Foundation
import PersistenceRuntime
import PersistenceSupport

// These functions are used while the encryption key of a store is being changed.

extension OutOfRowValue {
  /// Decrypts a value, and encrypts it with the current key of the cipher.
  ///
  /// - Returns: The encrypted value; nil if it is already encrypted with this key.
  /// - Throws: `SwiftDataError.corruptValue` if none of the cipher's keys can decrypt the value.
  package func resealed(_ bytes: Data, ofRow key: Int64, with cipher: any ValueCipher) throws -> Data? {
    do {
      return try bytes.withUnsafeBytes { try cipher.resealed($0, entity: entity, property: property) }
    } catch {
      throw unsealable(
        ofRow: key,
        "the encrypted value was changed, or is encrypted with a key that the configuration lacks. Give that in "
          + "formerEncryptionKeys, or restore the store from a backup", underlying: error)
    }
  }

  /// The error for a value that cannot be encrypted with the current key.
  package func unsealable(ofRow key: Int64, _ reason: String, underlying: (any Error)? = nil) -> SwiftDataError {
    SwiftDataError(
      .corruptValue, "\(entity).\(property) of row \(key): \(reason). What was encrypted anew before stays so.",
      underlying: underlying)
  }
}
