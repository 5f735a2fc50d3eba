// This module knows which store a `ModelConfiguration` means: the one of SQLite.

@_exported import Observation
@_exported import PersistenceCore
@_exported import PersistenceExtensions
