import PersistenceRuntime

/// What the stores changed and deleted besides what a save deleted, because their rules of references say so.
///
/// Contexts follow the delete rules themselves, as far as they know what refers to what they delete. Rows that another
/// context related to it meanwhile only the store knows.
final class AffectedByDeletion {
  private var affected: [(store: StoreCoordinator, rows: AffectedRows)] = []

  /// Notes what a store told, without the rows that were to be deleted.
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

  /// The rows that went, by the name of their entity, which of a hierarchy is the root.
  func deleted(in store: StoreCoordinator) -> [String: Set<Int64>] {
    rows(in: store).reduce(into: [:]) { $0[$1.entity.name, default: []].formUnion($1.deleted) }
  }
}

extension SavedChanges {
  /// What a store did by its own rules.
  func affectedRows(of store: StoreCoordinator) -> [AffectedRows] { affected.rows(in: store) }

  /// Makes the context's own models know what its store did by its rules: nobody else tells it.
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
  /// What a transaction does to a model without its code, an undone transaction takes back too.
  func willTakeIn<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    didTouch(model, in: model._$state.pointee.identityMap ?? map)
  }
}
