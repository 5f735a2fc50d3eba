import PersistenceRuntime

/// An engine that keeps a history, or may contain the history of earlier saves.
package protocol HistoryEngine: StoreEngine {
  /// Reads a part of the history, in the order of the record numbers.
  func history(_ request: HistoryRequest, in transaction: (any StoreTransaction)?) throws -> HistoryExtract

  /// Passes `body` the preserved values of an entity's deleted rows, in the columns of ``EntityLayout/preservedMask``.
  /// An additional column has the number of the record with the deletion. The rows are in the order of these numbers.
  func tombstones(
    of entity: EntityLayout, numbers: ClosedRange<Int64>, in transaction: (any StoreTransaction)?,
    _ body: (EngineRows, _ numberColumn: Int32) throws -> Void) throws
}

/// The transaction of a ``HistoryEngine``.
package protocol HistoryStoreTransaction: StoreTransaction {
  /// Adds a record to the history. Called at the end of a save that changed rows.
  ///
  /// - Parameter editor: The identity of the context that saves; nil if the program has not requested it.
  /// - Returns: The number of the record. It is 0 if the engine has no record numbers, or assigns them at the commit.
  ///   Then ``ownToken`` has the position of the save.
  func append(_ record: HistoryRecord, by editor: EditingState?) throws -> Int64

  /// The position of the transaction in the history after the commit, if ``append(_:by:)`` returned 0; nil without one.
  var ownToken: (any HistoryToken)? { get }

  /// Deletes records. Their numbers are never reused.
  func deleteHistory(_ numbers: [Int64]) throws

  /// Prepares the store to preserve the values of rows that are deleted later. Called before deletions.
  func prepareTombstones() throws

  /// The names of the entities of rows of a hierarchy.
  func entityNames(of keys: [Int64], in root: EntityLayout) throws -> [Int64: String]

  /// The keys of rows whose column of a to-one relationship contains one of the given keys.
  func keys(of entity: EntityLayout, referringAt position: Int, to keys: [Int64]) throws -> [Int64]
}

extension HistoryStoreTransaction {
  package var ownToken: (any HistoryToken)? { nil }
}

extension EntityLayout {
  /// The properties that the history preserves of deleted rows: attributes of `.preserveValueOnDeletion` with columns.
  ///
  /// Values in files are not preserved, because a file is deleted with its row.
  package var preservedProperties: [PropertyLayout] {
    properties.filter { property in
      property.attribute?.options.contains(.preserveValueOnDeletion) == true && !property.columns.isEmpty
        && property.outOfRowValue?.isExternal != true
    }
  }

  /// The mask of ``preservedProperties``. A shared bit represents all properties that share it.
  package var preservedMask: UInt64 { preservedProperties.reduce(0) { $0 | $1.bit } }
}
