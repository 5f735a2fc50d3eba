import Foundation
import PersistenceRuntime

/// The changes of one save in one store. Apple's.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// The type of positions in the history.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// The type of the transaction's identifier in its store.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// The time of the save.
  var timestamp: Date { get }
  /// The changes.
  var changes: [HistoryChange] { get }
  /// The position in the history directly after this transaction.
  var token: TokenType { get }
  /// The identifier of the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the store.
  var storeIdentifier: String { get }
  /// The author of the context that saved.
  var author: String? { get }
}

/// One change of one model. Apple's.
public enum HistoryChange: Sendable {
  /// A model was inserted.
  case insert(any HistoryInsert)
  /// Properties of a model were changed.
  case update(any HistoryUpdate)
  /// A model was deleted.
  case delete(any HistoryDelete)

  /// The identifier of the model. Apple's.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let change): change.changedPersistentIdentifier
    case .update(let change): change.changedPersistentIdentifier
    case .delete(let change): change.changedPersistentIdentifier
    }
  }
}

/// The insertion of a model. Apple's.
public protocol HistoryInsert<Model>: Sendable {
  /// The type of the model.
  associatedtype Model: PersistentModel
  /// The type of the transaction's identifier.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of the change's identifier.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The identifier of the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The identifier of the transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// The change of a model. Apple's.
public protocol HistoryUpdate<Model>: Sendable {
  /// A changed property.
  typealias PropertyUpdate = PartialKeyPath<Model> & Sendable
  /// The type of the model.
  associatedtype Model: PersistentModel
  /// The type of the transaction's identifier.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of the change's identifier.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The identifier of the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The identifier of the transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The attributes and relationships that changed.
  var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

/// The deletion of a model. Apple's.
public protocol HistoryDelete<Model>: Sendable {
  /// The type of the model.
  associatedtype Model: PersistentModel
  /// The type of the transaction's identifier.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
  /// The type of the change's identifier.
  associatedtype ChangeIdentifier: Comparable, Hashable, Sendable

  /// The identifier of the change in its store.
  var changeIdentifier: ChangeIdentifier { get }
  /// The identifier of the transaction.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the deleted model.
  var changedPersistentIdentifier: PersistentIdentifier { get }
  /// The last values of the model's attributes with the option `.preserveValueOnDeletion`.
  var tombstone: HistoryTombstone<Model> { get }
}
