extension SwiftDataError {
  /// Every kind of error, Apple's first.
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

  /// A fetch in batches was asked to include changes that are not saved yet.
  public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
  /// A predicate that neither the store nor memory can evaluate.
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
  /// A key path that names no stored property.
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
  /// A fetch of identifiers was asked to sort changes that are not saved yet.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
  /// A sort by something that cannot be sorted by.
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)

  // MARK: Configuration

  /// Two configurations of one container share a name or a file.
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
  /// The name of a configuration makes a file name that is too long.
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
  /// The name of a configuration cannot be a file name.
  public static let configurationFileNameContainsInvalidCharacters =
    SwiftDataError(.configurationFileNameContainsInvalidCharacters)
  /// The schema of a configuration has entities that the container's schema lacks.
  public static let configurationSchemaNotFoundInContainerSchema =
    SwiftDataError(.configurationSchemaNotFoundInContainerSchema)

  // MARK: Container, context, migration

  /// A container could not be opened for a reason that has no kind of its own.
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
  /// A model breaks a rule of its schema, found while saving.
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
  /// A model was used in a way that needs a context, and has none.
  public static let missingModelContext = SwiftDataError(.missingModelContext)
  /// The store was written by a newer version of the schema.
  public static let backwardMigration = SwiftDataError(.backwardMigration)
  /// The store holds a schema that is not the container's, and no way between the two is known.
  public static let unknownSchema = SwiftDataError(.unknownSchema)

  // MARK: History

  /// A history token stands for transactions that have been deleted.
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  /// A history descriptor asks for something that the store cannot answer.
  public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)

  // MARK: Ours

  /// A schema that contradicts itself; the explanation lists every contradiction.
  public static let invalidSchema = SwiftDataError(.invalidSchema)
  /// No row has the identifier.
  public static let modelNotFound = SwiftDataError(.modelNotFound)
  /// A model of one context was handed to another.
  public static let modelOfAnotherContext = SwiftDataError(.modelOfAnotherContext)
  /// Models that were changed here and elsewhere, in a context that does not merge.
  public static let conflictingChanges = SwiftDataError(.conflictingChanges)
  /// A value that its property's storage cannot hold.
  public static let valueNotStorable = SwiftDataError(.valueNotStorable)
  /// A stored value that its property cannot hold.
  public static let corruptValue = SwiftDataError(.corruptValue)
  /// The file is no database.
  public static let storeNotADatabase = SwiftDataError(.storeNotADatabase)
  /// The file is a damaged database.
  public static let storeCorrupt = SwiftDataError(.storeCorrupt)
  /// Another process or context holds the store for longer than the busy time-out.
  public static let storeBusy = SwiftDataError(.storeBusy)
  /// The store was asked to change and may not.
  public static let storeReadOnly = SwiftDataError(.storeReadOnly)
  /// The disk, or the store's size limit, leaves no room.
  public static let storeFull = SwiftDataError(.storeFull)
  /// The file or its folder cannot be opened or made.
  public static let storeUnreachable = SwiftDataError(.storeUnreachable)
  /// The file is a database that this library did not write.
  public static let storeOfAnotherProgram = SwiftDataError(.storeOfAnotherProgram)
  /// The store failed for a reason that has no kind of its own.
  public static let storeFailure = SwiftDataError(.storeFailure)
  /// A model that is an actor was to be used in a context of which nothing is known to run it.
  public static let executorMissing = SwiftDataError(.executorMissing)

  /// A migration plan that contradicts itself or does not lead to the container's schema.
  public static let invalidMigrationPlan = SwiftDataError(.invalidMigrationPlan)
  /// A stage of a migration failed, or the migration was cancelled; the store is as it was.
  public static let migrationFailed = SwiftDataError(.migrationFailed)

  // MARK: Encryption (ours)

  /// A schema has encrypted attributes, and the library was built without its trait `Encryption`.
  public static let encryptionUnavailable = SwiftDataError(.encryptionUnavailable)
  /// A store with encrypted attributes was to be opened without a key.
  public static let encryptionKeyMissing = SwiftDataError(.encryptionKeyMissing)
  /// A store with encrypted attributes was to be opened with another key than its own.
  public static let encryptionKeyWrong = SwiftDataError(.encryptionKeyWrong)
}
