import PersistenceRuntime

/// The identifiers of batch-deleted rows of hierarchies, by the entities of the rows.
///
/// The root of a hierarchy has the keys of all its entities, and the rows themselves name their entities. So they are
/// read before the save deletes them. Other rows need no read.
struct BatchDeletedIdentifiers {
  private var known: [ObjectIdentifier: [Int64: PersistentIdentifier]] = [:]

  /// Reads the entities of rows that a save is about to delete.
  ///
  /// - Throws: The error of the read.
  mutating func read(_ deletions: [SavedChanges.SavedEntity], in transaction: any StoreTransaction) throws {
    for changes in deletions where changes.map.entity.isPolymorphic && !changes.batchDeletedKeys.isEmpty {
      // The last save of a context posts no identifiers.
      guard changes.map.context != nil else { continue }
      let request = FetchRequest(entity: changes.map.entity, selection: .keys(changes.batchDeletedKeys))
      do {
        let found = try changes.map.store.familyIdentifiers(request, in: changes.map, transaction: transaction)
        known[ObjectIdentifier(changes.map)] = Dictionary(
          found.compactMap { identifier in identifier.row.map { ($0.key, identifier) } }
        ) { first, _ in first }
      } catch  where ModelContext.kind(of: error) == .corruptValue {
        // A row of an unknown entity can be deleted. Its identifier is that of the root.
        continue
      }
    }
  }

  /// The identifiers of the batch-deleted rows of an entity.
  func identifiers(of changes: SavedChanges.SavedEntity) -> [PersistentIdentifier] {
    guard !changes.batchDeletedKeys.isEmpty else { return [] }
    let found = known[ObjectIdentifier(changes.map)]
    let entity = changes.map.store.storeEntity(of: changes.map.entity)
    return changes.batchDeletedKeys.map { found?[$0] ?? PersistentIdentifier(row: $0, of: entity) }
  }
}
