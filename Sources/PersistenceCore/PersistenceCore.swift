// This module knows models, schemas, queries, contexts and containers, and no SQL.

// Apple's module re-exports it too: generated conformances name it, and models are observed with it.
@_exported import Observation
