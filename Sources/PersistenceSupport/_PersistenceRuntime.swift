/// The namespace of declarations that are public only because generated code or members of Apple's types refer to them.
/// A single name avoids conflicts with names of other modules.
///
/// Macro expansions are compiled in the user's module, so everything that they use has to be public. Do not use the
/// declarations in this namespace directly: they may change with every release.
public enum _PersistenceRuntime {}

// With these aliases, the library's own code can omit the prefix `_PersistenceRuntime`.
@usableFromInline package typealias ForwardingExecutor = _PersistenceRuntime.ForwardingExecutor
package typealias EncryptionKey = _PersistenceRuntime.EncryptionKey
package typealias SlowStatementLog = _PersistenceRuntime.SlowStatementLog
@usableFromInline package typealias SumAccumulator = _PersistenceRuntime.SumAccumulator
