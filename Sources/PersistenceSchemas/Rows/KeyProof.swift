import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Tests whether a cipher has the keys with which the values of a store are encrypted. The keys are not stored.
///
/// The metadata of a store contains a proof of its key: the identifier of the store, encrypted with this key. A cipher
/// with another key cannot decrypt it. While the key of a store is being changed, the metadata contains the proofs of
/// the old and the new key, separated by spaces, and a cipher must have both keys. A version of the library that
/// expects a single proof rejects the store.
package enum KeyProof {
  private static let entity = ""

  package static func make(with cipher: any ValueCipher, store identifier: String) throws -> String {
    let sealed = try Data(identifier.utf8).withUnsafeBytes {
      try cipher.seal($0, entity: entity, property: identifier)
    }
    return sealed.base64EncodedString()
  }

  /// Returns true if the cipher can decrypt all proofs.
  package static func isValid(_ proofs: String, for cipher: any ValueCipher, store identifier: String) -> Bool {
    let proofs = proofs.split(separator: " ", omittingEmptySubsequences: false)
    return !proofs.isEmpty
      && proofs.allSatisfy { proof in
        guard let sealed = Data(base64Encoded: String(proof)) else { return false }
        let opened = try? sealed.withUnsafeBytes { try cipher.open($0, entity: entity, property: identifier) }
        return opened == Data(identifier.utf8)
      }
  }

  /// Adds a proof of the cipher's current key to the proofs. Returns nil if the proofs already contain it, if the
  /// cipher has no former keys, or if it cannot decrypt all proofs.
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

/// The part of a store's metadata that concerns encryption.
package protocol KeyedMetadata {
  /// The identifier of the store, which each proof contains in encrypted form.
  var identifier: String { get }
  /// The proofs of the keys with which values are encrypted (``KeyProof``); nil if no value is encrypted.
  var keyProof: String? { get set }
}

extension KeyedMetadata {
  /// The metadata with an additional proof of the cipher's current key, for a store in which values will be encrypted
  /// with this key too. Returns nil if no proof has to be added.
  package func adding(_ cipher: any ValueCipher) throws -> Self? {
    guard let keyProof, let proofs = try KeyProof.adding(cipher, to: keyProof, store: identifier) else { return nil }
    var result = self
    result.keyProof = proofs
    return result
  }

  /// The metadata with only the proof of the cipher's current key, for a store whose values all use this key.
  package func sealed(with cipher: any ValueCipher) throws -> Self {
    var result = self
    result.keyProof = try KeyProof.make(with: cipher, store: identifier)
    return result
  }

  /// Checks that the cipher has all keys with which values of the store may be encrypted.
  ///
  /// - Parameter place: A description of the store, for the middle of a sentence in the message.
  /// - Throws: `SwiftDataError.encryptionKeyWrong` if the cipher lacks a key, `.storeCorrupt` if ``keyProof`` is nil.
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
