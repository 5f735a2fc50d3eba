import PersistenceRuntime
import PersistenceSupport

/// An engine between whose stores and those of others models move: what that takes besides reading and writing rows.
package protocol MovableEngine: StoreEngine {
  /// Runs several reads that see what is committed at one moment, whatever others commit meanwhile.
  ///
  /// - Parameter body: Gets the transaction that its reads are part of; nil if all reads of the thread are.
  /// - Throws: `SwiftDataError` of the store, or the error of `body`.
  func readingAtOneMoment(_ body: ((any StoreTransaction)?) throws -> Void) throws

  /// The next key of each entity, above all keys that its rows have had, as far as the store knows.
  ///
  /// - Parameter moment: What ``readingAtOneMoment(_:)`` hands out.
  /// - Returns: The keys by the names of entities. Of a hierarchy one name is enough.
  func nextKeys(at moment: (any StoreTransaction)?) throws -> [String: Int64]

  /// Begins a transaction that fills the store: no other transaction can change a row until it ends.
  ///
  /// - Throws: The errors of ``StoreEngine/beginTransaction()``.
  func beginFilling() throws -> any StoreTransaction

  /// Makes the store the one whose rows it was filled with, when the transaction commits.
  ///
  /// The engine itself keeps the identifier that it was opened with. It is closed and opened again.
  func adopt(_ identity: AdoptedIdentity, in transaction: any StoreTransaction) throws
}

/// What a store takes over, besides the rows, from the store that is copied to it.
package struct AdoptedIdentity: Sendable {
  /// The identifier, which all identifiers of models have.
  package let identifier: String
  /// The next key of each entity by its name. A store that is further stays so.
  package let nextKeys: [String: Int64]
  /// The number of the last record of the history; 0 if it has none. Records of the store get higher ones, so that tokens
  /// from before have expired, or go on behind the last record.
  package let lastRecord: Int64

  package init(identifier: String, nextKeys: [String: Int64], lastRecord: Int64) {
    self.identifier = identifier
    self.nextKeys = nextKeys
    self.lastRecord = lastRecord
  }
}
