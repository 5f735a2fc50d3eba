import PersistenceRuntime

extension SavedChanges {
  /// Whether the save changes or deletes rows of a store. Inserted rows cannot have been read by others.
  func changesRows(of store: StoreCoordinator) -> Bool {
    !upserts.isEmpty
      || entities.contains { changes in
        changes.map.store === store
          && !(changes.changed.isEmpty && changes.deleted.isEmpty && changes.batchDeletedKeys.isEmpty)
      }
  }

  /// Whether the save deletes rows of a store.
  func deletesRows(of store: StoreCoordinator) -> Bool {
    entities.contains { $0.map.store === store && !($0.deleted.isEmpty && $0.batchDeletedKeys.isEmpty) }
  }

  /// Notifies the other contexts of a store of a commit.
  func notify(_ store: StoreCoordinator, commit number: Int64?, from context: ModelContext) {
    guard let number, store.subscribers.areSeveral else { return }
    store.notify(news(of: store), commit: number, from: context.inbox)
  }

  /// The changes for other contexts. They have no objects of inserted rows, and the owners of those are among the
  /// changed ones.
  func news(of store: StoreCoordinator) -> RemoteChanges {
    var news = RemoteChanges()
    for changes in entities where changes.map.store === store {
      news.add(rows(of: changes), of: changes.map.modelType)
      if !changes.batchDeletedKeys.isEmpty { noteOwners(of: changes.map.entity, in: store, &news) }
    }
    for rows in affectedRows(of: store) {
      news.add(RemoteChanges.Rows(rows), of: rows.entity.modelType)
      if !rows.deleted.isEmpty { noteOwners(of: rows.entity, in: store, &news) }
    }
    return news
  }

  private func rows(of changes: SavedEntity) -> RemoteChanges.Rows {
    let count = changes.changed.count + changes.deleted.count + changes.batchDeletedKeys.count
    guard count <= RemoteChanges.Rows.limit else { return RemoteChanges.Rows(meansAll: true) }
    var rows = RemoteChanges.Rows()
    rows.changed.formUnion(changes.map.keys(of: changes.changed))
    if !upserts.isEmpty { rows.changed.formUnion(changes.map.keys(of: changes.inserted.filter(upserts.contains))) }
    rows.deleted.formUnion(changes.map.keys(of: changes.deleted))
    rows.deleted.formUnion(changes.batchDeletedKeys)
    return rows
  }

  /// Batch-deleted rows do not say in which relationships they were, so all their possible owners are reported.
  private func noteOwners(of entity: EntityLayout, in store: StoreCoordinator, _ news: inout RemoteChanges) {
    let inherited = entity.inheritance?.superentityNames ?? []
    let names = Set(inherited + entity.family.map(\.name))
    for layout in store.layouts where layout.relationships.contains(where: { names.contains($0.destination) }) {
      news.add(RemoteChanges.Rows(meansAll: true), of: layout.modelType)
    }
  }
}

extension RemoteChanges.Rows {
  init(_ affected: AffectedRows) { self.init(changed: affected.changed, deleted: affected.deleted) }
}
