// This module knows the macros, and the names of all modules below it, which expansions write as its own; it has no code.

// Apple's module exports `Observation` too. Generated code declares conformances to `PersistenceCore.Observable`.
@_exported import Observation
// Generated code names the types of these modules as members of this module: `PersistenceCore.PersistentIdentifier`.
@_exported import PersistenceBackingData
@_exported import PersistenceContainer
@_exported import PersistenceContext
@_exported import PersistenceHistory
@_exported import PersistenceLiveQueries
@_exported import PersistenceQueries
@_exported import PersistenceRuntime
@_exported import PersistenceSchemas
@_exported import PersistenceSpellings
@_exported import PersistenceStores
@_exported import PersistenceSupport
