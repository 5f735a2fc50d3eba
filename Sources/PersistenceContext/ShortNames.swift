import PersistenceSupport

// The library's own code is spared the prefix.
@usableFromInline package typealias ModelBackingData = _PersistenceRuntime.ModelBackingData
