import Foundation
import PersistenceRuntime

// Ours: Apple's initialisers with a key, for stores with `.encrypt` attributes.

extension ModelConfiguration {
  /// Describes a store in a file named after the configuration, or in memory, with a key for `.encrypt` attributes.
  /// Ours.
  ///
  /// - Parameters:
  ///   - name: The name of the file; nil for `default`.
  ///   - schema: The entities of the store; nil for all entities of the container.
  ///   - isStoredInMemoryOnly: Whether the store is in memory.
  ///   - allowsSave: Whether the store may change.
  ///   - encryptionKey: The key of encrypted attributes.
  ///   - formerEncryptionKeys: Keys that values may still be encrypted with. See ``formerEncryptionKeys``.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    encryptionKey: EncryptionKey, formerEncryptionKeys: [EncryptionKey] = []
  ) {
    self.init(name, schema: schema, isStoredInMemoryOnly: isStoredInMemoryOnly, allowsSave: allowsSave)
    self.encryptionKey = encryptionKey
    self.formerEncryptionKeys = formerEncryptionKeys
  }

  /// Describes a store in a given file, with a key for `.encrypt` attributes. Ours.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration; nil for that of the file.
  ///   - schema: The entities of the store; nil for all entities of the container.
  ///   - url: The file. Missing folders are created with the store.
  ///   - allowsSave: Whether the store may change.
  ///   - encryptionKey: The key of encrypted attributes.
  ///   - formerEncryptionKeys: Keys that values may still be encrypted with. See ``formerEncryptionKeys``.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true, encryptionKey: EncryptionKey,
    formerEncryptionKeys: [EncryptionKey] = []
  ) {
    self.init(name, schema: schema, url: url, allowsSave: allowsSave)
    self.encryptionKey = encryptionKey
    self.formerEncryptionKeys = formerEncryptionKeys
  }
}
