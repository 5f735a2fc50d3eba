import Foundation
import PersistenceRuntime
import PersistenceSupport

// Used while the key of a store is being changed.

extension OutOfRowValue {
  /// Seals an encrypted value with the current key of a cipher.
  ///
  /// - Returns: nil if the value is already sealed with that key.
  /// - Throws: `SwiftDataError.corruptValue` if none of the cipher's keys opens the value.
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

  /// The error of a value that cannot be sealed with the current key.
  package func unsealable(ofRow key: Int64, _ reason: String, underlying: (any Error)? = nil) -> SwiftDataError {
    SwiftDataError(
      .corruptValue, "\(entity).\(property) of row \(key): \(reason). What was encrypted anew before stays so.",
      underlying: underlying)
  }
}
