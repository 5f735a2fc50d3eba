import PersistenceRuntime

/// An engine that keeps a history, or that may have one from before.
package protocol HistoryEngine: StoreEngine {
  /// Reads a part of the history, in the order of its numbers.
  func history(_ request: HistoryRequest, in transaction: (any StoreTransaction)?) throws -> HistoryExtract

  /// Lends the kept values of deleted rows of an entity: rows with the columns of ``EntityLayout/preservedMask``. A
  /// further column has the number of the record with the deletion, and orders the rows.
  func tombstones(
    of entity: EntityLayout, numbers: ClosedRange<Int64>, in transaction: (any StoreTransaction)?,
    _ body: (EngineRows, _ numberColumn: Int32) throws -> Void) throws
}

/// The transaction of a ``HistoryEngine``.
package protocol HistoryStoreTransaction: StoreTransaction {
  /// Adds a record to the history. Called at the end of a save that changed rows.
  ///
  /// - Parameter editor: The identity of the context that saves; nil if the program has not asked for it.
  /// - Returns: The number of the record; 0 if the engine has none, or not before the commit, and the save has its place as
  ///   ``ownToken``.
  func append(_ record: HistoryRecord, by editor: EditingState?) throws -> Int64

  /// The place of the transaction in the history, once it has committed, where ``append(_:by:)`` has returned 0; nil without one.
  var ownToken: (any HistoryToken)? { get }

  /// Deletes records. Their numbers are never given again.
  func deleteHistory(_ numbers: [Int64]) throws

  /// Sees to it that the values of rows that are deleted from now on are kept. Called before deletions.
  func prepareTombstones() throws

  /// The names of the entities of rows of a hierarchy.
  func entityNames(of keys: [Int64], in root: EntityLayout) throws -> [Int64: String]

  /// The keys of rows whose column of a to-one relationship has one of some keys.
  func keys(of entity: EntityLayout, referringAt position: Int, to keys: [Int64]) throws -> [Int64]
}

extension HistoryStoreTransaction {
  package var ownToken: (any HistoryToken)? { nil }
}

extension EntityLayout {
  /// The properties whose values outlive a row in the history: attributes of `.preserveValueOnDeletion` with columns.
  ///
  /// A file goes with its row, so values in files are none of them.
  package var preservedProperties: [PropertyLayout] {
    properties.filter { property in
      property.attribute?.options.contains(.preserveValueOnDeletion) == true && !property.columns.isEmpty
        && property.outOfRowValue?.isExternal != true
    }
  }

  /// The mask of these. The bit that properties share stands for all of them.
  package var preservedMask: UInt64 { preservedProperties.reduce(0) { $0 | $1.bit } }
}
