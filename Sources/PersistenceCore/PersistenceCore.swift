// This module knows the macros, and the names of all modules below it, which expansions write as its own; it has no code.

// Apple's module re-exports it too: generated conformances name it, and models are observed with it.
@_exported import Observation
// What is declared there is also a name of this module, as in `PersistenceCore.ForwardingExecutor` in expansions of macros.
@_exported import PersistenceContainer
@_exported import PersistenceContext
@_exported import PersistenceQueries
@_exported import PersistenceRuntime
@_exported import PersistenceSchemas
@_exported import PersistenceSpellings
@_exported import PersistenceSupport
