// Spares the library's own code the prefix.
@usableFromInline package typealias ForwardingExecutor = _PersistenceRuntime.ForwardingExecutor
package typealias EncryptionKey = _PersistenceRuntime.EncryptionKey
package typealias SlowStatementLog = _PersistenceRuntime.SlowStatementLog
@usableFromInline package typealias SumAccumulator = _PersistenceRuntime.SumAccumulator
