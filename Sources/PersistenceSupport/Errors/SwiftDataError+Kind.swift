extension SwiftDataError {
  /// The kinds of errors, Apple's first.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    // Fetching (Apple's)
    case includePendingChangesWithBatchSize
    case unsupportedPredicate
    case unsupportedKeyPath
    case sortingPendingChangesWithIdentifiers
    case unsupportedSortDescriptor
    // Configuration (Apple's)
    case duplicateConfiguration
    case configurationFileNameTooLong
    case configurationFileNameContainsInvalidCharacters
    case configurationSchemaNotFoundInContainerSchema
    // Container, context, migration (Apple's)
    case loadIssueModelContainer
    case modelValidationFailure
    case missingModelContext
    case backwardMigration
    case unknownSchema
    // History (Apple's)
    case historyTokenExpired
    case invalidTransactionFetchRequest
    // Ours
    case invalidSchema
    case modelNotFound
    case modelOfAnotherContext
    case conflictingChanges
    case valueNotStorable
    case corruptValue
    case storeNotADatabase
    case storeCorrupt
    case storeBusy
    case storeReadOnly
    case storeFull
    case storeUnreachable
    case storeOfAnotherProgram
    case storeFailure
    case invalidMigrationPlan
    case migrationFailed
    case encryptionUnavailable
    case encryptionKeyMissing
    case encryptionKeyWrong
    case executorMissing
  }

  // MARK: Fetching

  /// A fetch in batches includes pending changes.
  public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
  /// Neither the store nor the in-memory evaluation supports the predicate.
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
  /// The key path names no stored property.
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
  /// A fetch of identifiers sorts pending changes.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
  /// The sort descriptor names no sortable value.
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)

  // MARK: Configuration

  /// Two configurations of a container share a name or a file.
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
  /// The file name made of the configuration's name is too long.
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
  /// The configuration's name contains characters that a file name cannot have.
  public static let configurationFileNameContainsInvalidCharacters =
    SwiftDataError(.configurationFileNameContainsInvalidCharacters)
  /// A configuration's schema has entities that the container's schema lacks.
  public static let configurationSchemaNotFoundInContainerSchema =
    SwiftDataError(.configurationSchemaNotFoundInContainerSchema)

  // MARK: Container, context, migration

  /// The container could not be opened, for a reason without a kind of its own.
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
  /// A save found a model that violates a rule of its schema.
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
  /// The operation needs a model with a context, and the model has none.
  public static let missingModelContext = SwiftDataError(.missingModelContext)
  /// A newer version of the schema wrote the store.
  public static let backwardMigration = SwiftDataError(.backwardMigration)
  /// The store's schema differs from the container's, and no migration leads from one to the other.
  public static let unknownSchema = SwiftDataError(.unknownSchema)

  // MARK: History

  /// The transactions that the history token stands for have been deleted.
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  /// The store cannot answer the history descriptor.
  public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)

  // MARK: Ours

  /// The schema contradicts itself; the explanation lists every contradiction.
  public static let invalidSchema = SwiftDataError(.invalidSchema)
  /// The identifier has no row.
  public static let modelNotFound = SwiftDataError(.modelNotFound)
  /// The model belongs to another context.
  public static let modelOfAnotherContext = SwiftDataError(.modelOfAnotherContext)
  /// The save would overwrite changes that others committed, and the context's conflict policy is to throw.
  public static let conflictingChanges = SwiftDataError(.conflictingChanges)
  /// The property's storage cannot hold the value.
  public static let valueNotStorable = SwiftDataError(.valueNotStorable)
  /// The stored value does not decode as the property's type.
  public static let corruptValue = SwiftDataError(.corruptValue)
  /// The file is not a database.
  public static let storeNotADatabase = SwiftDataError(.storeNotADatabase)
  /// The database file is damaged.
  public static let storeCorrupt = SwiftDataError(.storeCorrupt)
  /// Another process or context has locked the store for longer than the busy timeout.
  public static let storeBusy = SwiftDataError(.storeBusy)
  /// The store is read-only.
  public static let storeReadOnly = SwiftDataError(.storeReadOnly)
  /// The disk, or the store's size limit, has no room left.
  public static let storeFull = SwiftDataError(.storeFull)
  /// The file or its directory cannot be opened or created.
  public static let storeUnreachable = SwiftDataError(.storeUnreachable)
  /// Another program wrote the database.
  public static let storeOfAnotherProgram = SwiftDataError(.storeOfAnotherProgram)
  /// The store failed for a reason without a kind of its own.
  public static let storeFailure = SwiftDataError(.storeFailure)
  /// The model is an actor, and the context has no known executor to run it.
  public static let executorMissing = SwiftDataError(.executorMissing)

  /// The migration plan contradicts itself or does not lead to the container's schema.
  public static let invalidMigrationPlan = SwiftDataError(.invalidMigrationPlan)
  /// A migration stage failed, or the migration was cancelled; the store is unchanged.
  public static let migrationFailed = SwiftDataError(.migrationFailed)

  // MARK: Encryption (ours)

  /// The schema has encrypted attributes, but the package trait `Encryption` is off.
  public static let encryptionUnavailable = SwiftDataError(.encryptionUnavailable)
  /// The store has encrypted attributes, and the configuration has no key.
  public static let encryptionKeyMissing = SwiftDataError(.encryptionKeyMissing)
  /// The store is encrypted with another key.
  public static let encryptionKeyWrong = SwiftDataError(.encryptionKeyWrong)
}
