/// Holds what is public because members of Apple's types name it, so that no module has it among its own names.
public enum _PersistenceRuntime {}

// The library's own code is spared the prefix.
package typealias EncryptionKey = _PersistenceRuntime.EncryptionKey
package typealias UniquenessPolicy = _PersistenceRuntime.UniquenessPolicy
