import Foundation
import PersistenceRuntime

/// The insertion of a model into a default store. Apple's.
public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert {
  /// The type of the transaction's identifier. Apple's.
  public typealias TransactionIdentifier = Int64
  /// The type of the change's identifier. Apple's.
  public typealias ChangeIdentifier = Int64

  /// The identifier of the change in its store. Later changes have greater identifiers. Apple's.
  public let changeIdentifier: Int64
  /// The identifier of the transaction. Apple's.
  public let transactionIdentifier: Int64
  /// The identifier of the model. Apple's.
  public let changedPersistentIdentifier: PersistentIdentifier

  package init(
    changeIdentifier: Int64, transactionIdentifier: Int64, changedPersistentIdentifier: PersistentIdentifier
  ) {
    self.changeIdentifier = changeIdentifier
    self.transactionIdentifier = transactionIdentifier
    self.changedPersistentIdentifier = changedPersistentIdentifier
  }

  /// Whether two values are the same change. Apple's.
  ///
  /// - Parameters:
  ///   - lhs: A change.
  ///   - rhs: Another change.
  public static func == (lhs: DefaultHistoryInsert, rhs: DefaultHistoryInsert) -> Bool {
    lhs.changeIdentifier == rhs.changeIdentifier && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
  }

  /// Hashes the identifiers. Apple's.
  ///
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}

/// The change of a model in a default store. Apple's.
public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate {
  /// The type of the transaction's identifier. Apple's.
  public typealias TransactionIdentifier = Int64
  /// The type of the change's identifier. Apple's.
  public typealias ChangeIdentifier = Int64

  /// The identifier of the change in its store. Later changes have greater identifiers. Apple's.
  public let changeIdentifier: Int64
  /// The identifier of the transaction. Apple's.
  public let transactionIdentifier: Int64
  /// The identifier of the model. Apple's.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The properties that changed, in the order of their declarations. Apple's.
  ///
  /// The properties belong to the present schema of the model. A property that was renamed since has its present key
  /// path, and a property that was removed is left out.
  public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]

  package init(
    changeIdentifier: Int64, transactionIdentifier: Int64, changedPersistentIdentifier: PersistentIdentifier,
    updatedAttributes: [any PartialKeyPath<Model> & Sendable]
  ) {
    self.changeIdentifier = changeIdentifier
    self.transactionIdentifier = transactionIdentifier
    self.changedPersistentIdentifier = changedPersistentIdentifier
    self.updatedAttributes = updatedAttributes
  }

  /// Whether two values are the same change. Apple's.
  ///
  /// - Parameters:
  ///   - lhs: A change.
  ///   - rhs: Another change.
  public static func == (lhs: DefaultHistoryUpdate, rhs: DefaultHistoryUpdate) -> Bool {
    lhs.changeIdentifier == rhs.changeIdentifier && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
  }

  /// Hashes the identifiers. Apple's.
  ///
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}

/// The deletion of a model from a default store. Apple's.
public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete {
  /// The type of the transaction's identifier. Apple's.
  public typealias TransactionIdentifier = Int64
  /// The type of the change's identifier. Apple's.
  public typealias ChangeIdentifier = Int64

  /// The identifier of the change in its store. Later changes have greater identifiers. Apple's.
  public let changeIdentifier: Int64
  /// The identifier of the transaction. Apple's.
  public let transactionIdentifier: Int64
  /// The identifier of the deleted model. Apple's.
  public let changedPersistentIdentifier: PersistentIdentifier
  /// The values that the model had in attributes that are declared with `.preserveValueOnDeletion`. Apple's.
  public let tombstone: HistoryTombstone<Model>

  package init(
    changeIdentifier: Int64, transactionIdentifier: Int64, changedPersistentIdentifier: PersistentIdentifier,
    tombstone: HistoryTombstone<Model>
  ) {
    self.changeIdentifier = changeIdentifier
    self.transactionIdentifier = transactionIdentifier
    self.changedPersistentIdentifier = changedPersistentIdentifier
    self.tombstone = tombstone
  }

  /// Whether two values are the same change. Apple's.
  ///
  /// - Parameters:
  ///   - lhs: A change.
  ///   - rhs: Another change.
  public static func == (lhs: DefaultHistoryDelete, rhs: DefaultHistoryDelete) -> Bool {
    lhs.changeIdentifier == rhs.changeIdentifier && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
  }

  /// Hashes the identifiers. Apple's.
  ///
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(changeIdentifier)
    hasher.combine(changedPersistentIdentifier)
  }
}
