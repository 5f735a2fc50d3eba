import SwiftData

// The module SwiftData nests these types in Apple's types. This module adds top-level names for them.

/// What a save does with a row that another context or process has changed. Ours.
public typealias ConflictPolicy = ModelContext.ConflictPolicy
/// The key of a store's encrypted attributes. Ours.
public typealias EncryptionKey = ModelConfiguration.EncryptionKey
/// The SQL of a fetch, its bindings and the query plan of the database. Ours.
public typealias FetchExplanation = ModelContext.FetchExplanation
/// A difference between two schemas that an automatic migration cannot solve: the program must provide code. Ours.
public typealias MigrationObstacle = ModelContainer.MigrationObstacle
/// The progress of a migration. Ours.
public typealias MigrationProgress = ModelContainer.MigrationProgress
/// The description of one difference between two schemas. Ours.
public typealias MigrationStep = ModelContainer.MigrationStep
/// A conflict that a save resolved by its policy. Ours.
public typealias SaveConflict = ModelContext.SaveConflict
/// A log of the slow statements of a store. Ours.
public typealias SlowStatementLog = ModelConfiguration.SlowStatementLog
/// What a save does with a new model whose unique values already exist in another row. Ours.
public typealias UniquenessPolicy = ModelConfiguration.UniquenessPolicy
