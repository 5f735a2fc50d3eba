import PersistenceRuntime

/// Rows that stores changed or deleted besides those of a save, by their foreign keys.
///
/// A context applies delete rules to the references that it knows. Only the store knows rows that other contexts
/// related to the deleted ones meanwhile.
final class AffectedByDeletion {
  /// The rows that the save deletes without objects.
  var batchDeleted = BatchDeletedIdentifiers()
  private var affected: [(store: StoreCoordinator, rows: AffectedRows)] = []

  /// Adds the rows that a store reports, without the rows that the save deletes.
  func note(_ rows: [AffectedRows], by deletions: [SavedChanges.SavedEntity], in store: StoreCoordinator) {
    for var rows in rows {
      for changes in deletions where changes.map.rootMap.entity.name == rows.entity.name {
        rows.deleted.subtract(changes.map.keys(of: changes.deleted))
        rows.deleted.subtract(changes.batchDeletedKeys)
      }
      if !rows.changed.isEmpty || !rows.deleted.isEmpty { affected.append((store, rows)) }
    }
  }

  func rows(in store: StoreCoordinator) -> [AffectedRows] {
    affected.isEmpty ? [] : affected.filter { $0.store === store }.map(\.rows)
  }

  /// The deleted rows, by the name of their entity or of the root of its hierarchy.
  func deleted(in store: StoreCoordinator) -> [String: Set<Int64>] {
    rows(in: store).reduce(into: [:]) { $0[$1.entity.name, default: []].formUnion($1.deleted) }
  }
}

extension SavedChanges {
  /// The rows that a store changed by its foreign keys.
  func affectedRows(of store: StoreCoordinator) -> [AffectedRows] { affected.rows(in: store) }

  /// Updates the context's own objects of affected rows. No other context reports these changes.
  func takeInAffected(by store: StoreCoordinator, in context: ModelContext) {
    for rows in affectedRows(of: store) {
      guard let map = context.entityChanges[ObjectIdentifier(rows.entity.modelType)]?.map, map.context != nil else {
        continue
      }
      for key in rows.changed.union(rows.deleted) {
        map.object(for: key).map { context.willTakeIn(map.entity.model($0), in: map) }
      }
      let deletedObjects = DeletedMembers(rows, in: map)
      do {
        try context.receive(RemoteChanges.Rows(rows), in: map)
      } catch {
        store.logger.error("reading what a deletion changed in \(map.entity.name) failed, it is tried again: \(error)")
        context.inbox.putBack(RemoteChanges(RemoteChanges.Rows(rows), of: map.modelType))
      }
      deletedObjects?.release(in: context)
    }
  }
}

extension ModelContext {
  /// Records an object before a remote change of it, so that an undone transaction restores it.
  func willTakeIn<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    didTouch(model, in: model._$state.pointee.identityMap ?? map)
  }
}
