import Foundation

/// An error of a container, a context or a store.
///
/// Apple's type. Ours are ``explanation``, ``underlyingError``, and the constants for failures that Apple's framework
/// does not report. The explanation states what failed, where, and what to do.
///
/// Two errors are equal if they have the same kind, even if their explanations differ. So both patterns below match.
/// Every error that an initialiser of a container throws also equals ``loadIssueModelContainer``.
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

  /// What failed, where, and what to do; nil for the constants, such as ``storeBusy``.
  public let explanation: String?

  /// The error that has caused this one, such as an error of the file system; nil if there is none.
  public let underlyingError: (any Error)?

  /// True if a container could not be opened because of this error.
  private(set) package var preventedOpening = false

  package init(_ kind: Kind, _ explanation: String? = nil, underlying: (any Error)? = nil) {
    self.kind = kind
    self.explanation = explanation
    self.underlyingError = underlying
  }

  /// Creates the error that an initialiser of a container throws, with the kind and the explanation of its cause.
  package init(openingPreventedBy error: any Error) {
    self =
      error as? SwiftDataError
      ?? SwiftDataError(.loadIssueModelContainer, "the container could not be opened: \(error)", underlying: error)
    preventedOpening = true
  }

  /// Returns true if two errors have the same kind, or if one of them is the constant ``loadIssueModelContainer`` and
  /// the other was thrown by an initialiser of ``ModelContainer``.
  ///
  /// Apple's initialisers throw only that constant for most failures, and programs compare errors with it. Two errors
  /// that equal the constant need not equal each other.
  ///
  /// - Parameters:
  ///   - lhs: An error.
  ///   - rhs: Another error, or a constant.
  public static func == (lhs: SwiftDataError, rhs: SwiftDataError) -> Bool {
    lhs.kind == rhs.kind || (lhs.isLoadIssue && rhs.preventedOpening) || (rhs.isLoadIssue && lhs.preventedOpening)
  }

  /// Whether this is the constant ``loadIssueModelContainer``: an error of that kind without an explanation.
  private var isLoadIssue: Bool { kind == .loadIssueModelContainer && explanation == nil }

  /// All errors have the same hash: an error may equal its kind's constant and also ``loadIssueModelContainer``.
  ///
  /// - Parameter hasher: The hasher, which receives nothing.
  public func hash(into hasher: inout Hasher) {}

  /// Returns true if an error equals the constant. So the constants work as `catch` patterns.
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

  /// A fetch in batches cannot include pending changes.
  public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
  /// The predicate is supported neither by the store nor by the evaluation in memory.
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
  /// The key path does not lead to a stored property.
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
  /// A fetch of identifiers in batches cannot sort pending changes.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
  /// The sort descriptor sorts by a value that cannot be sorted.
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)

  // MARK: Configuration

  /// Two configurations of a container share a name or a file.
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
  /// The configuration's name is too long for a file name.
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
  /// The configuration's name contains characters that a file name cannot have.
  public static let configurationFileNameContainsInvalidCharacters =
    SwiftDataError(.configurationFileNameContainsInvalidCharacters)
  /// A configuration's schema has entities that the container's schema lacks.
  public static let configurationSchemaNotFoundInContainerSchema =
    SwiftDataError(.configurationSchemaNotFoundInContainerSchema)

  // MARK: Container, context, migration

  /// The container could not be opened. Equals every error that opening a container throws, of any kind.
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
  /// A model breaks a rule of its schema, so it cannot be saved.
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
  /// The operation needs a model that belongs to a context, and the model has no context.
  public static let missingModelContext = SwiftDataError(.missingModelContext)
  /// A newer version of the schema wrote the store.
  public static let backwardMigration = SwiftDataError(.backwardMigration)
  /// The store's schema differs from the container's, and no migration leads from one to the other.
  public static let unknownSchema = SwiftDataError(.unknownSchema)

  // MARK: History

  /// The transactions to which the history token refers were deleted.
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  /// The store cannot evaluate the history descriptor.
  public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)

  // MARK: Ours

  /// The schema contradicts itself; the explanation lists every contradiction.
  public static let invalidSchema = SwiftDataError(.invalidSchema)
  /// No row has the identifier.
  public static let modelNotFound = SwiftDataError(.modelNotFound)
  /// The model belongs to another context.
  public static let modelOfAnotherContext = SwiftDataError(.modelOfAnotherContext)
  /// The save would overwrite what another context or process has committed, and the conflict policy is `throwError`.
  public static let conflictingChanges = SwiftDataError(.conflictingChanges)
  /// The value cannot be stored in the column of the property.
  public static let valueNotStorable = SwiftDataError(.valueNotStorable)
  /// The stored value cannot be decoded as the property's type.
  public static let corruptValue = SwiftDataError(.corruptValue)
  /// The file is not a database.
  public static let storeNotADatabase = SwiftDataError(.storeNotADatabase)
  /// The database file is damaged.
  public static let storeCorrupt = SwiftDataError(.storeCorrupt)
  /// Another process or context has held the lock of the store for longer than the busy timeout.
  public static let storeBusy = SwiftDataError(.storeBusy)
  /// The store is read-only.
  public static let storeReadOnly = SwiftDataError(.storeReadOnly)
  /// The disk is full, or the store has reached its size limit.
  public static let storeFull = SwiftDataError(.storeFull)
  /// The file or its directory cannot be opened or created.
  public static let storeUnreachable = SwiftDataError(.storeUnreachable)
  /// The database was written by another program.
  public static let storeOfAnotherProgram = SwiftDataError(.storeOfAnotherProgram)
  /// The store has failed for a reason for which there is no other kind.
  public static let storeFailure = SwiftDataError(.storeFailure)
  /// The model is an actor, and its context has no known executor on which the model could run.
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

  /// The error to throw if the system call has failed on a file of a store.
  ///
  /// - Parameter what: Returns the explanation, which names what failed, the reason and what to do.
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

/// The cause in an error of ``StoreTransaction/commit()`` if the outcome of the commit is unknown: the connection was
/// lost during the commit, and the engine cannot find out whether the store has committed.
///
/// An engine that can find out the outcome returns or throws accordingly. Otherwise it throws
/// ``error(location:cause:)`` and guarantees two things. First, the store has committed or rolled back this transaction
/// before the next one begins. Second, the keys that this transaction reserved are never reserved again, so no other
/// transaction inserts a row with such a key.
package struct UnknownOutcome: Error {
  /// The error that reported the loss of the connection.
  package let cause: any Error

  private init(cause: any Error) { self.cause = cause }

  /// The error that a commit throws if its outcome is unknown.
  ///
  /// - Parameters:
  ///   - location: The location of the store.
  ///   - cause: The error that reported the loss of the connection.
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
