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
  /// The key paths are those of the current schema. If a property was renamed after the change, the array contains its
  /// new key path. If it was removed, the array does not contain it.
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
  /// The last values of the model's attributes with the option `.preserveValueOnDeletion`. Apple's.
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
