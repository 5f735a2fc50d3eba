// The library's own code is spared the prefix.
@usableFromInline package typealias ModelExecution = _PersistenceRuntime.ModelExecution
package typealias SlowStatementLog = _PersistenceRuntime.SlowStatementLog
