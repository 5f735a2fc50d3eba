/// Holds what is public because members of Apple's types name it, so that no module has it among its own names.
public enum _PersistenceSupport {}

// The library's own code is spared the prefix.
package typealias SlowStatementLog = _PersistenceSupport.SlowStatementLog
