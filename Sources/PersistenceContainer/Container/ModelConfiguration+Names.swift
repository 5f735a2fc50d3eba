import PersistenceRuntime
import PersistenceSupport

// Ours. They are members of Apple's type because top-level names would clash with those of programs.

extension ModelConfiguration {
  /// The key of a store's encrypted attributes. Ours.
  public typealias EncryptionKey = _PersistenceRuntime.EncryptionKey
  /// A log of the slow statements of a store. Ours.
  public typealias SlowStatementLog = _PersistenceRuntime.SlowStatementLog
  /// What a save does with a new model whose unique values exist in another row. Ours.
  public typealias UniquenessPolicy = _PersistenceRuntime.UniquenessPolicy
}
