import PersistenceRuntime
import PersistenceSupport

// Ours, and so members of Apple's type: names at the top level would be ambiguous beside a program's own.

extension ModelConfiguration {
  /// The key that a store's encrypted attributes are encrypted with.
  public typealias EncryptionKey = _PersistenceRuntime.EncryptionKey
  /// A log of the statements of a store that take long.
  public typealias SlowStatementLog = _PersistenceRuntime.SlowStatementLog
  /// What a save does with a new model whose unique values another row has.
  public typealias UniquenessPolicy = _PersistenceRuntime.UniquenessPolicy
}
