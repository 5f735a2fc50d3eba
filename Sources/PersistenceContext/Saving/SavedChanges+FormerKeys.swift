import PersistenceRuntime

extension SavedChanges {
  /// Gives objects that were deleted and came back the keys that they had, unless rows have those by now.
  func giveFormerKeys(to changes: SavedEntity, in transaction: any StoreTransaction) throws {
    try giveFormerKeys(to: changes, in: transaction, as: changes.map.entity.modelType)
  }

  private func giveFormerKeys<T: PersistentModel>(
    to changes: SavedEntity, in transaction: any StoreTransaction, as type: T.Type
  ) throws {
    let entity = changes.map.store.storeEntity(of: changes.map.entity)
    var returning: [(state: UnsafeMutablePointer<ModelState>, key: Int64)] = []
    for object in changes.inserted {
      let state = unsafeDowncast(object, to: T.self)._$state
      if let key = state.pointee.formerKey(of: entity) { returning.append((state, key)) }
    }
    guard !returning.isEmpty else { return }
    // All rows of a hierarchy are in one table: the key may be that of a row of any class.
    let request = FetchRequest(entity: changes.map.rootMap.entity, selection: .keys(returning.map(\.key)))
    var taken = Set(try changes.map.store.engine.keys(request, in: transaction))
    for (state, key) in returning where taken.insert(key).inserted {
      state.pointee.primaryKey = key
      changes.source.forgetRanks(of: key)
    }
  }
}

extension ModelState {
  /// The key that the object had in an entity of a store before its row was deleted, when it waits to be inserted again.
  func formerKey(of entity: StoreEntity) -> Int64? {
    guard let row = extras?.formerRow, row.entity == entity else { return nil }
    return row.key
  }
}

extension EntityChanges {
  /// A row that comes back stands in lists where its key puts it, wherever it stood before it went.
  fileprivate func forgetRanks(of key: Int64) {
    for position in listPositions.keys where listPositions[position]?[key] != nil {
      context?.transactionSnapshot?.noteRank(of: key, at: position, in: self)
      listPositions[position]?[key] = nil
    }
  }

  /// The object that waits to be inserted again under a key.
  func returningObject(for key: Int64) -> AnyObject? {
    func find<T: PersistentModel>(_ type: T.Type) -> AnyObject? {
      let row = map.store.storeEntity(of: map.entity)
      return livingInserted.first { unsafeDowncast($0, to: T.self)._$state.pointee.formerKey(of: row) == key }
    }
    return context?.undoRecorder == nil ? nil : find(map.modelType)
  }
}
