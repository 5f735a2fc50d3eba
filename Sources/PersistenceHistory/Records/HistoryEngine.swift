import PersistenceRuntime

/// A store engine that can record a history. Even if it records none now, its store may contain an earlier history.
package protocol HistoryEngine: StoreEngine {
  /// Reads the records that match a request, in the order of their numbers, also if the request takes the last ones.
  func history(_ request: HistoryRequest, in transaction: (any StoreTransaction)?) throws -> HistoryExtract

  /// Calls `body` with the preserved values of an entity's deleted rows, in the columns of
  /// ``EntityLayout/preservedMask``. The column `numberColumn` contains the number of the history record that reports
  /// the deletion. The rows are in the order of these numbers.
  func tombstones(
    of entity: EntityLayout, numbers: ClosedRange<Int64>, in transaction: (any StoreTransaction)?,
    _ body: (EngineRows, _ numberColumn: Int32) throws -> Void) throws
}

/// The transaction of a ``HistoryEngine``.
package protocol HistoryStoreTransaction: StoreTransaction {
  /// Adds a record to the history. A save that changed rows calls this method last.
  ///
  /// - Parameter editor: The identity of the context that saves; nil if the program has never used
  ///   `ModelContext.editingState`.
  /// - Returns: The number of the record; 0 if the engine has no record numbers, or assigns them only at the commit.
  ///   After such a commit, ``ownToken`` returns the position of the save.
  func append(_ record: HistoryRecord, by editor: EditingState?) throws -> Int64

  /// If ``append(_:by:)`` returned 0, the history position of the committed transaction; nil if there is no position.
  var ownToken: (any HistoryToken)? { get }

  /// Deletes records. Their numbers are never reused.
  func deleteHistory(_ numbers: [Int64]) throws

  /// Makes the store preserve the values of rows that this transaction deletes. Called before the first deletion.
  func prepareTombstones() throws

  /// Returns the entity name of each row, by key. The rows belong to a hierarchy of entities that share one table.
  func entityNames(of keys: [Int64], in root: EntityLayout) throws -> [Int64: String]

  /// Returns the keys of the rows whose to-one relationship at a position refers to one of the given keys.
  func keys(of entity: EntityLayout, referringAt position: Int, to keys: [Int64]) throws -> [Int64]
}

extension HistoryStoreTransaction {
  package var ownToken: (any HistoryToken)? { nil }
}

extension EntityLayout {
  /// The attributes with the option `.preserveValueOnDeletion`, whose values the history preserves when a row is
  /// deleted.
  ///
  /// Values that are stored in files are not preserved, because a file is deleted with its row.
  package var preservedProperties: [PropertyLayout] {
    properties.filter { property in
      property.attribute?.options.contains(.preserveValueOnDeletion) == true && !property.columns.isEmpty
        && property.outOfRowValue?.isExternal != true
    }
  }

  /// The mask of ``preservedProperties``. All properties from the 64th on share one bit, so the mask may include some
  /// that are not preserved.
  package var preservedMask: UInt64 { preservedProperties.reduce(0) { $0 | $1.bit } }
}
