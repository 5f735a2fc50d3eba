import PersistenceRuntime
import PersistenceSupport

/// A store engine whose stores can be copied to the stores of another engine, and can be such copies themselves.
package protocol MovableEngine: StoreEngine {
  /// Runs several reads in one read transaction, so that they do not see later commits of other transactions.
  ///
  /// - Parameter body: The reads. Its argument is their transaction; nil if all reads on this thread already use it.
  /// - Throws: `SwiftDataError` of the store, or the error of `body`.
  func readingAtOneMoment(_ body: ((any StoreTransaction)?) throws -> Void) throws

  /// The key that the next new row of each entity gets: greater than the keys of all rows that the store knows,
  /// including deleted ones.
  ///
  /// - Parameter moment: The transaction that ``readingAtOneMoment(_:)`` passed to its body.
  /// - Returns: The keys by entity name. A hierarchy of entities needs an entry for only one of them.
  func nextKeys(at moment: (any StoreTransaction)?) throws -> [String: Int64]

  /// Begins the transaction that fills a store. Until it ends, no other transaction can change rows.
  ///
  /// - Throws: The errors of ``StoreEngine/beginTransaction()``.
  func beginFilling() throws -> any StoreTransaction

  /// Gives a copy the identity of its source store when the transaction commits.
  ///
  /// Afterwards the engine must be closed and opened again, because it still uses the former identifier.
  func adopt(_ identity: AdoptedIdentity, in transaction: any StoreTransaction) throws
}

/// The properties of a store that are copied in addition to its rows.
package struct AdoptedIdentity: Sendable {
  /// The identifier of the store. The identifiers of all models contain it.
  package let identifier: String
  /// The next key of each entity, by entity name. The copy keeps its own next key if that is greater.
  package let nextKeys: [String: Int64]
  /// The ID of the last history record; 0 if there is none. New records of the copy get greater IDs. So in the copy a
  /// history token of the source store has either expired, or is the latest token, which only new records follow.
  package let lastRecord: Int64

  package init(identifier: String, nextKeys: [String: Int64], lastRecord: Int64) {
    self.identifier = identifier
    self.nextKeys = nextKeys
    self.lastRecord = lastRecord
  }
}
