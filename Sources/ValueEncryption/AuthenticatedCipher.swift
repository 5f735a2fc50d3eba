#if Encryption
  import Crypto
  import Foundation
  import PersistenceCore

  /// AES-GCM with a random nonce for each value, bound to the entity and the property that the value is of.
  ///
  /// A sealed value is one byte that says so, the nonce, the encrypted bytes and the tag.
  struct AuthenticatedCipher: ValueCipher {
    private static let version: UInt8 = 1

    private let key: SymmetricKey

    init(_ key: EncryptionKey) {
      self.key = SymmetricKey(data: key.bytes)
    }

    func seal(_ bytes: UnsafeRawBufferPointer, entity: String, property: String) throws -> Data {
      let box = try AES.GCM.seal(bytes, using: key, authenticating: Self.owner(entity, property))
      return Data([Self.version]) + box.nonce + box.ciphertext + box.tag
    }

    func open(_ bytes: UnsafeRawBufferPointer, entity: String, property: String) throws -> Data {
      guard bytes.first == Self.version else { throw CryptoKitError.authenticationFailure }
      let box = try AES.GCM.SealedBox(combined: bytes.dropFirst())
      return try AES.GCM.open(box, using: key, authenticating: Self.owner(entity, property))
    }

    /// The owner of a value, in bytes that no other owner has: the length of the first name tells where it ends.
    private static func owner(_ entity: String, _ property: String) -> Data {
      var data = Data("OpenSwiftData".utf8)
      withUnsafeBytes(of: UInt32(clamping: entity.utf8.count).littleEndian) { data.append(contentsOf: $0) }
      data.append(contentsOf: entity.utf8)
      data.append(contentsOf: property.utf8)
      return data
    }
  }
#endif
