import Foundation
import PersistenceCore

/// Shows whether a key is the one that a store was made with, without telling the key.
///
/// It is the store's identifier, sealed like a value of a property that no entity has.
enum KeyProof {
  private static let entity = ""

  static func make(with cipher: any ValueCipher, store identifier: String) throws -> String {
    let sealed = try Data(identifier.utf8).withUnsafeBytes {
      try cipher.seal($0, entity: entity, property: identifier)
    }
    return sealed.base64EncodedString()
  }

  static func isValid(_ proof: String, for cipher: any ValueCipher, store identifier: String) -> Bool {
    guard let sealed = Data(base64Encoded: proof) else { return false }
    let opened = try? sealed.withUnsafeBytes { try cipher.open($0, entity: entity, property: identifier) }
    return opened == Data(identifier.utf8)
  }
}
