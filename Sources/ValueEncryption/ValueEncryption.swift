// This module knows a cipher of swift-crypto and what the core asks of one, and no store.

import PersistenceRuntime
import PersistenceSupport

/// Creates ciphers for encrypted attributes, if the package trait `Encryption` is enabled. Programs without the trait
/// do not build swift-crypto.
package enum ValueEncryption {
  /// Whether the library was built with the trait.
  package static var isAvailable: Bool {
    #if Encryption
      true
    #else
      false
    #endif
  }

  /// The cipher for the values of the given entities; nil if they have no encrypted attribute.
  ///
  /// - Throws: `SwiftDataError.encryptionUnavailable` without the trait, `.encryptionKeyMissing` if `key` is nil.
  package static func cipher(
    for layouts: [EntityLayout], key: EncryptionKey?, formerKeys: [EncryptionKey]
  ) throws -> (any ValueCipher)? {
    guard let outOfRow = layouts.lazy.flatMap(\.outOfRowValues).compactMap({ $0 }).first(where: \.isEncrypted) else {
      return nil
    }
    let property = "\(outOfRow.entity).\(outOfRow.property)"
    guard isAvailable else { throw unavailableError(property) }
    guard let key else {
      throw SwiftDataError(
        .encryptionKeyMissing,
        "\(property) is encrypted, and the configuration has no key. Set its encryptionKey to the key that the store was "
          + "made with, or to a new one for a new store.")
    }
    return cipher(key, formerKeys)
  }

  package static func unavailableError(_ property: String) -> SwiftDataError {
    SwiftDataError(
      .encryptionUnavailable,
      "\(property) is encrypted, and the library was built without encryption. Enable its trait in Package.swift: "
        + ".package(url: …, traits: [.defaults, \"Encryption\"]).")
  }

  private static func cipher(_ key: EncryptionKey, _ formerKeys: [EncryptionKey]) -> (any ValueCipher)? {
    #if Encryption
      AuthenticatedCipher(key, formerKeys: formerKeys)
    #else
      nil
    #endif
  }
}
