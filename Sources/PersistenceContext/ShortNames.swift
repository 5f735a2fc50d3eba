import PersistenceSupport

// Short names for the library's own code.
@usableFromInline package typealias ModelBackingData = _PersistenceRuntime.ModelBackingData
