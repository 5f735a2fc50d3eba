import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Proves which keys the values of a store are sealed with, without revealing the keys.
///
/// A proof is the store's identifier, sealed like a value of a property that no entity has. A store whose key is being
/// changed has a proof for each key, separated by spaces. A cipher that lacks one of the keys is refused; so is a
/// version of the library that expects a single proof.
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

  /// The proofs with one of the key that a cipher seals with; nil when it is among them, or they are not valid.
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
