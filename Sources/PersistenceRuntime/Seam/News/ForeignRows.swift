/// The rows of an entity that commits of other processes changed.
///
/// A key is in the set of its last change.
package struct ForeignRows: Sendable {
  /// The entity; for rows of subentities it may be the root of the hierarchy.
  package let entity: EntityLayout
  package var inserted: Set<Int64>
  /// Includes the owners of changed relationships without a column, and the rows changed by referential actions.
  package var updated: Set<Int64>
  /// Includes the rows deleted by referential actions.
  package var deleted: Set<Int64>

  package init(
    of entity: EntityLayout, inserted: Set<Int64> = [], updated: Set<Int64> = [], deleted: Set<Int64> = []
  ) {
    self.entity = entity
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }
}

extension RemoteChanges {
  /// The changes of other processes.
  init(_ foreign: [ForeignRows]) {
    self.init()
    for rows in foreign {
      // A context may have an object of an inserted row, by an identifier from elsewhere.
      let changed = rows.inserted.union(rows.updated)
      add(Rows(changed: changed, deleted: rows.deleted), of: rows.entity.modelType)
    }
  }
}
