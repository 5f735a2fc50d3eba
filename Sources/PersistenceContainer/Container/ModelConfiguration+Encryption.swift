import Foundation
import PersistenceRuntime

// Ours: Apple's initialisers with a key, for stores with attributes that are declared with `.encrypt`.

extension ModelConfiguration {
  /// A store in a file that is named after the configuration, or in memory, whose encrypted attributes have a key.
  ///
  /// - Parameter formerEncryptionKeys: See the property of that name.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    encryptionKey: EncryptionKey, formerEncryptionKeys: [EncryptionKey] = []
  ) {
    self.init(name, schema: schema, isStoredInMemoryOnly: isStoredInMemoryOnly, allowsSave: allowsSave)
    self.encryptionKey = encryptionKey
    self.formerEncryptionKeys = formerEncryptionKeys
  }

  /// A store in a given file, whose encrypted attributes have a key.
  ///
  /// - Parameter formerEncryptionKeys: See the property of that name.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true, encryptionKey: EncryptionKey,
    formerEncryptionKeys: [EncryptionKey] = []
  ) {
    self.init(name, schema: schema, url: url, allowsSave: allowsSave)
    self.encryptionKey = encryptionKey
    self.formerEncryptionKeys = formerEncryptionKeys
  }
}
