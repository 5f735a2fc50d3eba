import Foundation

/// An error of a container, a context or a store.
///
/// Apple's type. Ours are ``explanation``, ``underlyingError``, and the constants for failures that Apple's framework
/// does not report. The explanation says what failed, where, and what to do.
///
/// Two errors are equal if they are of one kind, even if their explanations differ. Therefore both patterns below
/// match. Every error that an initialiser of a container throws also equals ``loadIssueModelContainer``.
///
/// ```swift
/// do {
///   try context.save()
/// } catch SwiftDataError.conflictingChanges {
///   context.rollback()
/// } catch let error as SwiftDataError where error == .storeBusy {
///   print(error.explanation ?? "busy")
/// }
/// ```
public struct SwiftDataError: Error, Hashable, Sendable {
  /// The kind of an error.
  package let kind: Kind

  /// What failed, where, and the remedy; nil for the bare constants.
  public let explanation: String?

  /// The error that caused this one, such as that of the file system.
  public let underlyingError: (any Error)?

  /// Whether this error prevented the opening of a container.
  private(set) package var preventedOpening = false

  package init(_ kind: Kind, _ explanation: String? = nil, underlying: (any Error)? = nil) {
    self.kind = kind
    self.explanation = explanation
    self.underlyingError = underlying
  }

  /// The error of a container whose opening failed with another error. It keeps that error's kind and explanation.
  package init(openingPreventedBy error: any Error) {
    self =
      error as? SwiftDataError
      ?? SwiftDataError(.loadIssueModelContainer, "the container could not be opened: \(error)", underlying: error)
    preventedOpening = true
  }

  /// Whether two errors are of one kind, or one is the constant ``loadIssueModelContainer`` and the other was thrown by
  /// an initialiser of ``ModelContainer``.
  ///
  /// Apple's framework throws only that constant for most failures of its initialisers, and programs compare with it.
  /// Two errors that equal the constant need not equal each other.
  ///
  /// - Parameters:
  ///   - lhs: An error.
  ///   - rhs: Another error, or a constant.
  public static func == (lhs: SwiftDataError, rhs: SwiftDataError) -> Bool {
    lhs.kind == rhs.kind || (lhs.isLoadIssue && rhs.preventedOpening) || (rhs.isLoadIssue && lhs.preventedOpening)
  }

  /// Whether this is the constant ``loadIssueModelContainer``, or an error of that kind without an explanation.
  private var isLoadIssue: Bool { kind == .loadIssueModelContainer && explanation == nil }

  /// All errors have one hash: an error may equal both the constant of its own kind and that of failed openings.
  ///
  /// - Parameter hasher: The hasher, which receives nothing.
  public func hash(into hasher: inout Hasher) {}

  /// Whether an error equals the constant, so that the constants work as `catch` patterns.
  ///
  /// ```swift
  /// do {
  ///   return try ModelContainer(for: Trip.self)
  /// } catch SwiftDataError.storeBusy {
  ///   throw Failure.tryAgain
  /// } catch SwiftDataError.loadIssueModelContainer {
  ///   return try ModelContainer(for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  /// }
  /// ```
  /// - Parameters:
  ///   - pattern: The constant.
  ///   - error: The error that was thrown.
  public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
    (error as? SwiftDataError) == pattern
  }
}

extension SwiftDataError: CustomStringConvertible {
  /// The kind, the explanation and the cause.
  public var description: String {
    var text = "SwiftDataError.\(kind.rawValue)"
    if let explanation { text += ": \(explanation)" }
    if let underlyingError { text += " (cause: \(underlyingError))" }
    return text
  }
}

extension SwiftDataError: LocalizedError {
  /// The explanation, or else the kind.
  public var errorDescription: String? {
    explanation ?? "SwiftData error: \(kind.rawValue)"
  }
}

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

  /// The container could not be opened. Equals every error of an opening, whose own kind is more specific.
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

  /// The transactions that the history token represents have been deleted.
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  /// The store cannot evaluate the history descriptor.
  public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)

  // MARK: Ours

  /// The schema contradicts itself; the explanation lists every contradiction.
  public static let invalidSchema = SwiftDataError(.invalidSchema)
  /// The identifier has no row.
  public static let modelNotFound = SwiftDataError(.modelNotFound)
  /// The model belongs to another context.
  public static let modelOfAnotherContext = SwiftDataError(.modelOfAnotherContext)
  /// The save would overwrite a commit of another context or process, and the conflict policy throws.
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
  /// The store failed for a reason that has no kind of its own.
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

/// The error code of a failed system call.
package struct SystemFailure: Error, Hashable, CustomStringConvertible {
  package let code: Int32

  package init(code: Int32 = errno) {
    self.code = code
  }

  package var description: String { String(cString: strerror(code)) }

  /// The error of a store whose files caused the failure.
  ///
  /// - Parameter what: Returns the explanation: what failed, the failure's description, and what to do.
  package func storeError(_ what: (SystemFailure) -> String) -> SwiftDataError {
    let kind: SwiftDataError.Kind =
      switch code {
      case ENOSPC, EDQUOT, EFBIG: .storeFull
      case EACCES, EPERM, EROFS: .storeReadOnly
      case ENOENT, ENOTDIR, ENAMETOOLONG: .storeUnreachable
      default: .storeFailure
      }
    return SwiftDataError(kind, what(self), underlying: self)
  }
}

/// The cause of an error of ``StoreTransaction/commit()`` with an unknown outcome: the connection was lost during the
/// commit, and the engine cannot determine whether the store has committed.
///
/// An engine that can determine the outcome does so, and returns or throws accordingly. Otherwise it throws
/// ``error(location:cause:)`` and guarantees two things. This transaction has been committed or rolled back before the
/// next one begins. The keys that it reserved are never reserved again: no other transaction inserts a row with such a
/// key.
package struct UnknownOutcome: Error {
  /// The loss of the connection.
  package let cause: any Error

  private init(cause: any Error) { self.cause = cause }

  /// The error of a commit whose outcome is unknown.
  ///
  /// - Parameters:
  ///   - location: The location of the store.
  ///   - cause: The loss of the connection.
  package static func error(location: String, cause: any Error) -> SwiftDataError {
    SwiftDataError(
      (cause as? SwiftDataError)?.kind ?? .storeUnreachable,
      "the connection to the store at \(location) was lost during a commit, and whether the store has committed is "
        + "unknown. The changes of a save are pending, and the next save finds out which of them the store has and writes "
        + "the others. A transaction is undone in memory: fetch to find out what has become of it.",
      underlying: UnknownOutcome(cause: cause))
  }

  /// Whether an error states that the outcome of a commit is unknown.
  package static func isCause(of error: any Error) -> Bool {
    (error as? SwiftDataError)?.underlyingError is UnknownOutcome
  }
}
