import SwiftData

// What `import SwiftData` has as members of Apple's types, for code that spells it alone.

public typealias ConflictPolicy = ModelContext.ConflictPolicy
public typealias EncryptionKey = ModelConfiguration.EncryptionKey
public typealias FetchExplanation = ModelContext.FetchExplanation
public typealias MigrationObstacle = ModelContainer.MigrationObstacle
public typealias MigrationProgress = ModelContainer.MigrationProgress
public typealias MigrationStep = ModelContainer.MigrationStep
public typealias SaveConflict = ModelContext.SaveConflict
public typealias SlowStatementLog = ModelConfiguration.SlowStatementLog
public typealias UniquenessPolicy = ModelConfiguration.UniquenessPolicy
