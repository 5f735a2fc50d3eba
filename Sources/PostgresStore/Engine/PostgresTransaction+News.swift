#if PostgreSQL
  import PersistenceRuntime
  import SQLEngine

  // The changes of which a transaction notifies other processes. Nothing is recorded if propagation is off.

  extension PostgresTransaction {
    /// Records inserted rows, and the rows that they reference, since the lists of the referenced rows change.
    func noteInsertions(_ batch: PostgresBatch, into table: TableMapping, without refused: [RefusedRow]) {
      guard news != nil else { return }
      guard batch.sentCount + batch.rowCount <= PostgresNews.limit else {
        news?.noteAll(of: table.entity.name)
        return noteAllOwners(table.columns)
      }
      let missing = Set(refused.map(\.index))
      let keys = batch.integers(ofColumn: 0)
      news?.note(changed: keys.indices.filter { !missing.contains($0) }.map { keys[$0] }, of: table.entity.name)
      for (index, column) in table.columns.enumerated() where column.reference != nil {
        noteOwners(batch.integers(ofColumn: index + 1), column)
      }
    }

    /// Records updated rows. Their previous owners are unknown, so all rows of the owning entities count as changed.
    func noteUpdates(_ keys: [Int64], of table: TableMapping, _ columns: [ColumnMapping]) {
      guard news != nil else { return }
      news?.note(changed: keys, of: table.entity.name)
      noteAllOwners(columns)
    }

    /// Records rows that were each inserted or updated by one statement.
    func noteUpserts(_ rows: [UpsertedRow], into table: TableMapping) {
      guard news != nil else { return }
      for row in rows { news?.note(changed: [row.key], of: row.entityName ?? table.entity.name) }
      noteAllOwners(table.columns)
    }

    private func noteAllOwners(_ columns: [ColumnMapping]) {
      for column in columns {
        if let name = ownerName(column) { news?.noteAll(of: name) }
      }
    }

    private func noteOwners(_ keys: [Int64], _ column: ColumnMapping) {
      guard let name = ownerName(column) else { return }
      // The value 0 means that the row has no reference.
      let owners = keys.filter { $0 != 0 }
      if !owners.isEmpty { news?.note(changed: owners, of: name) }
    }

    private func ownerName(_ column: ColumnMapping) -> String? {
      guard let reference = column.reference else { return nil }
      return database.tables.first { $0.name == reference.table && !$0.isShared }?.entity.name
    }

    /// Records deleted rows, and the rows that foreign key actions delete or change.
    ///
    /// - Parameter affected: The rows that foreign key actions delete or change; nil if they are unknown.
    func noteDeletions(_ keys: [Int64], from table: TableMapping, _ affected: PostgresReferenceWatch?) {
      guard news != nil else { return }
      guard let affected else {
        news?.noteEverything(in: database)
        return
      }
      news?.note(deleted: keys, of: table.entity, in: database)
      for (name, keys) in affected.changed {
        if let entity = entity(ofTable: name) { news?.note(changed: keys, of: entity.name) }
      }
      for (name, keys) in affected.deleted {
        if let entity = entity(ofTable: name) { news?.note(deleted: keys, of: entity, in: database) }
      }
    }

    private func entity(ofTable name: String) -> EntityLayout? {
      database.tables.first { $0.name == name && !$0.isShared }?.entity
    }

    /// Records the rows at both ends of pairs.
    func notePairs(_ pairs: [RelatedPair], of relationship: RelationshipLayout, in entity: EntityLayout) {
      guard news != nil, !pairs.isEmpty else { return }
      news?.note(changed: pairs.map(\.owner), of: entity.name)
      news?.note(changed: pairs.map(\.target), of: relationship.destination)
    }

    /// Records the owners of lists that were reordered.
    func noteOrders(_ owners: [Int64], of entity: EntityLayout) {
      guard news != nil, !owners.isEmpty else { return }
      news?.note(changed: owners, of: entity.name)
    }

    /// Records rows whose position in a list has changed, and the owners of the lists.
    ///
    /// - Parameter owners: The owners; nil if they are unknown.
    func notePositions(_ keys: [Int64], of table: TableMapping, _ owners: [Int64]?, _ column: ColumnMapping?) {
      guard news != nil, !keys.isEmpty else { return }
      news?.note(changed: keys, of: table.entity.name)
      guard let column else {
        news?.noteEverything(in: database)
        return
      }
      if let owners { noteOwners(owners, column) } else { noteAllOwners([column]) }
    }

    /// Records that any rows of some entities may have changed.
    func noteAll(_ entities: [EntityLayout]) {
      guard news != nil else { return }
      for entity in entities { news?.noteAll(of: entity.name) }
    }

    private var database: DatabaseMapping { engine.database }
  }
#endif
