import PersistenceRuntime
import PersistenceSupport

/// An engine that can move models between its stores and those of other engines: what that requires besides row access.
package protocol MovableEngine: StoreEngine {
  /// Runs several reads on one snapshot of the committed rows, whatever other transactions commit meanwhile.
  ///
  /// - Parameter body: Gets the transaction that its reads belong to; nil if all reads of the thread use the snapshot.
  /// - Throws: `SwiftDataError` of the store, or the error of `body`.
  func readingAtOneMoment(_ body: ((any StoreTransaction)?) throws -> Void) throws

  /// The next key of each entity, above all keys that its rows have had, as far as the store knows.
  ///
  /// - Parameter moment: The transaction that ``readingAtOneMoment(_:)`` passed to its body.
  /// - Returns: The keys by the names of entities. For a hierarchy one name is sufficient.
  func nextKeys(at moment: (any StoreTransaction)?) throws -> [String: Int64]

  /// Begins a transaction that fills the store: no other transaction can change a row until it ends.
  ///
  /// - Throws: The errors of ``StoreEngine/beginTransaction()``.
  func beginFilling() throws -> any StoreTransaction

  /// Gives the store the identity of the store whose rows it was filled with, when the transaction commits.
  ///
  /// The engine itself keeps the identifier that it was opened with, and must be closed and opened again.
  func adopt(_ identity: AdoptedIdentity, in transaction: any StoreTransaction) throws
}

/// The properties of a source store, besides its rows, that its copy takes over.
package struct AdoptedIdentity: Sendable {
  /// The identifier, which is part of all identifiers of models.
  package let identifier: String
  /// The next key of each entity by its name. A store whose next key is higher keeps it.
  package let nextKeys: [String: Int64]
  /// The number of the last record of the history; 0 if there is none. New records of the store get higher numbers, so
  /// that earlier tokens have expired, or continue after the last record.
  package let lastRecord: Int64

  package init(identifier: String, nextKeys: [String: Int64], lastRecord: Int64) {
    self.identifier = identifier
    self.nextKeys = nextKeys
    self.lastRecord = lastRecord
  }
}
