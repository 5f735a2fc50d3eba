import PersistenceRuntime
import PersistenceSupport

/// An engine that can move models between its stores and other engines' stores. Its members add to row access.
package protocol MovableEngine: StoreEngine {
  /// Runs several reads on one snapshot of the committed rows, regardless of later commits by other transactions.
  ///
  /// - Parameter body: Gets the transaction of its reads; nil if all reads of the thread use the snapshot.
  /// - Throws: `SwiftDataError` of the store, or the error of `body`.
  func readingAtOneMoment(_ body: ((any StoreTransaction)?) throws -> Void) throws

  /// The next key of each entity. It is above all keys of former and current rows that the store knows.
  ///
  /// - Parameter moment: The transaction that ``readingAtOneMoment(_:)`` passed to its body.
  /// - Returns: The keys by entity name. For a hierarchy the name of one of its entities is sufficient.
  func nextKeys(at moment: (any StoreTransaction)?) throws -> [String: Int64]

  /// Begins a transaction that fills the store. No other transaction can change a row until this transaction ends.
  ///
  /// - Throws: The errors of ``StoreEngine/beginTransaction()``.
  func beginFilling() throws -> any StoreTransaction

  /// Gives the store the identity of the store whose rows it was filled with. Takes effect at the transaction's commit.
  ///
  /// The engine itself still has the identifier with which it was opened. It must be closed and opened again.
  func adopt(_ identity: AdoptedIdentity, in transaction: any StoreTransaction) throws
}

/// The properties that a copy takes over from its source store in addition to the rows.
package struct AdoptedIdentity: Sendable {
  /// The identifier, which is part of all identifiers of models.
  package let identifier: String
  /// The next key of each entity by its name. A store whose next key is higher keeps its own next key.
  package let nextKeys: [String: Int64]
  /// The ID of the last record of the history; 0 without records. New records of the store get greater IDs. So an
  /// earlier token has either expired or continues after the last record.
  package let lastRecord: Int64

  package init(identifier: String, nextKeys: [String: Int64], lastRecord: Int64) {
    self.identifier = identifier
    self.nextKeys = nextKeys
    self.lastRecord = lastRecord
  }
}
