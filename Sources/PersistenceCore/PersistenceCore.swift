// This module knows models, schemas, queries, contexts and containers, and no SQL.

// Apple's module re-exports it too: generated conformances name it, and models are observed with it.
@_exported import Observation
// What is declared there is also a name of this module, as in `PersistenceCore.ModelExecution` in expansions of macros.
@_exported import PersistenceSupport
