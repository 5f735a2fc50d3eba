/// The namespace of declarations that are public only for generated code, or because members of Apple's types name
/// them. A single name avoids ambiguity with names of other modules.
///
/// Macro expansions are compiled in the user's module, so the declarations that they use have to be public. Do not use
/// this namespace directly: it may change with every release.
public enum _PersistenceRuntime {}

// Lets the library's own code omit the prefix `_PersistenceRuntime`.
@usableFromInline package typealias ForwardingExecutor = _PersistenceRuntime.ForwardingExecutor
package typealias EncryptionKey = _PersistenceRuntime.EncryptionKey
package typealias SlowStatementLog = _PersistenceRuntime.SlowStatementLog
@usableFromInline package typealias SumAccumulator = _PersistenceRuntime.SumAccumulator
