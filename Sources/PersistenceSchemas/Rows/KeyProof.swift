import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Proves with which keys the values of a store are sealed (encrypted), without revealing the keys.
///
/// A proof is the store's identifier, sealed in the same way as a value of a property that no entity has. While the key
/// of a store is being changed, the store has a proof for each key, separated by spaces. A cipher that lacks one of the
/// keys is rejected. A version of the library that expects a single proof rejects the store.
package enum KeyProof {
  private static let entity = ""

  package static func make(with cipher: any ValueCipher, store identifier: String) throws -> String {
    let sealed = try Data(identifier.utf8).withUnsafeBytes {
      try cipher.seal($0, entity: entity, property: identifier)
    }
    return sealed.base64EncodedString()
  }

  /// Whether a cipher has the keys of all proofs.
  package static func isValid(_ proofs: String, for cipher: any ValueCipher, store identifier: String) -> Bool {
    let proofs = proofs.split(separator: " ", omittingEmptySubsequences: false)
    return !proofs.isEmpty
      && proofs.allSatisfy { proof in
        guard let sealed = Data(base64Encoded: String(proof)) else { return false }
        let opened = try? sealed.withUnsafeBytes { try cipher.open($0, entity: entity, property: identifier) }
        return opened == Data(identifier.utf8)
      }
  }

  /// Adds a proof for a cipher's current key; nil without former keys, for invalid proofs, or if the proofs contain it.
  package static func adding(_ cipher: any ValueCipher, to proofs: String, store identifier: String) throws -> String? {
    guard cipher.hasFormerKeys, isValid(proofs, for: cipher, store: identifier) else { return nil }
    for proof in proofs.split(separator: " ") {
      guard let sealed = Data(base64Encoded: String(proof)) else { return nil }
      let other = try sealed.withUnsafeBytes { try cipher.resealed($0, entity: entity, property: identifier) }
      if other == nil { return nil }
    }
    return try proofs + " " + make(with: cipher, store: identifier)
  }
}

/// The metadata of a store that depends on the keys of its encrypted values.
package protocol KeyedMetadata {
  /// The identifier of the store, which is sealed in each proof.
  var identifier: String { get }
  /// The proofs of the keys with which values are sealed (``KeyProof``); nil if no value is encrypted.
  var keyProof: String? { get set }
}

extension KeyedMetadata {
  /// The metadata of a store in which values may also be sealed with the current key of a cipher; nil if the metadata
  /// already contains the key's proof.
  package func adding(_ cipher: any ValueCipher) throws -> Self? {
    guard let keyProof, let proofs = try KeyProof.adding(cipher, to: keyProof, store: identifier) else { return nil }
    var result = self
    result.keyProof = proofs
    return result
  }

  /// The metadata of a store in which all values are sealed with the current key of a cipher.
  package func sealed(with cipher: any ValueCipher) throws -> Self {
    var result = self
    result.keyProof = try KeyProof.make(with: cipher, store: identifier)
    return result
  }

  /// Checks that a cipher has all keys with which values may be sealed.
  ///
  /// - Parameter place: The store, for the message, in the middle of a sentence.
  /// - Throws: `SwiftDataError.encryptionKeyWrong` if the cipher lacks a key, and `.storeCorrupt` without a proof.
  package func check(_ cipher: any ValueCipher, of place: String) throws {
    guard let keyProof else {
      throw SwiftDataError(
        .storeCorrupt,
        "The metadata of \(place) do not say which key it is encrypted with. Restore it from a backup.")
    }
    guard !KeyProof.isValid(keyProof, for: cipher, store: identifier) else { return }
    throw SwiftDataError(
      .encryptionKeyWrong,
      "The configuration gives another key than the one that \(place) is encrypted with. Open it with the key that it "
        + "was made with; while its key is being changed, with the new one as encryptionKey and the others in "
        + "formerEncryptionKeys. It has not been changed.")
  }
}
