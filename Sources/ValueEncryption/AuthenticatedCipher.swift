import PersistenceRuntime
import PersistenceSupport

#if Encryption
  import Crypto
  import Foundation

  /// Encrypts values with AES-GCM and a random nonce for each value. The names of the entity and the property are
  /// authenticated, so an encrypted value cannot be copied to another property.
  ///
  /// An encrypted value consists of a version byte, the nonce, the ciphertext and the tag.
  final class AuthenticatedCipher: ValueCipher {
    private static let version: UInt8 = 1

    private struct Owner: Hashable {
      let entity: String
      let property: String
    }

    private let key: SymmetricKey
    private let formerKeys: [SymmetricKey]
    /// The authenticated data of each encrypted property, made at its first value.
    private let owners = Lock<[Owner: Data]>([:])

    init(_ key: EncryptionKey, formerKeys: [EncryptionKey] = []) {
      self.key = SymmetricKey(data: key.bytes)
      self.formerKeys = formerKeys.filter { $0 != key }.map { SymmetricKey(data: $0.bytes) }
    }

    var hasFormerKeys: Bool { !formerKeys.isEmpty }

    func seal(_ bytes: UnsafeRawBufferPointer, entity: String, property: String) throws -> Data {
      try unsafe sealed(bytes, entity: entity, property: property)
    }

    private func sealed(_ bytes: some DataProtocol, entity: String, property: String) throws -> Data {
      let box = try AES.GCM.seal(bytes, using: key, authenticating: owner(entity, property))
      var data = Data(capacity: 1 + Self.overhead + bytes.count)
      data.append(Self.version)
      data.append(contentsOf: box.nonce)
      data.append(box.ciphertext)
      data.append(box.tag)
      return data
    }

    /// The size of the nonce and of the tag.
    private static let overhead = 12 + 16

    func open(_ bytes: UnsafeRawBufferPointer, entity: String, property: String) throws -> Data {
      try unsafe opened(bytes, entity: entity, property: property).value
    }

    func resealed(_ bytes: UnsafeRawBufferPointer, entity: String, property: String) throws -> Data? {
      let (value, isFormer) = try unsafe opened(bytes, entity: entity, property: property)
      guard isFormer else { return nil }
      return try sealed(value, entity: entity, property: property)
    }

    /// Decrypts a value. Returns the value, and whether it was encrypted with a former key.
    private func opened(
      _ bytes: some DataProtocol, entity: String, property: String
    ) throws -> (value: Data, isFormer: Bool) {
      guard bytes.first == Self.version else { throw CryptoKitError.authenticationFailure }
      let box = try AES.GCM.SealedBox(combined: bytes.dropFirst())
      let owner = owner(entity, property)
      do {
        return (try AES.GCM.open(box, using: key, authenticating: owner), false)
      } catch {
        // Authentication fails with a wrong key, so the former keys can be tried one after the other.
        for key in formerKeys {
          if let value = try? AES.GCM.open(box, using: key, authenticating: owner) { return (value, true) }
        }
        throw error
      }
    }

    /// The authenticated data for the values of a property, from ``owners`` if possible.
    private func owner(_ entity: String, _ property: String) -> Data {
      owners.withLock { owners in
        let owner = Owner(entity: entity, property: property)
        if let known = owners[owner] { return known }
        let data = Self.authenticatedData(entity, property)
        owners[owner] = data
        return data
      }
    }

    /// The authenticated data for the values of a property. The length of the entity's name is included, so that
    /// different pairs of names cannot have the same data.
    ///
    /// The names are in the same normalised form as the names of tables, because a later version of the program may
    /// write the same name with other Unicode scalars.
    private static func authenticatedData(_ entity: String, _ property: String) -> Data {
      let (entity, property) = (StoredText.form(of: entity), StoredText.form(of: property))
      var data = Data("OpenSwiftData".utf8)
      unsafe withUnsafeBytes(of: UInt32(clamping: entity.utf8.count).littleEndian) {
        unsafe data.append(contentsOf: $0)
      }
      data.append(contentsOf: entity.utf8)
      data.append(contentsOf: property.utf8)
      return data
    }
  }
#endif
