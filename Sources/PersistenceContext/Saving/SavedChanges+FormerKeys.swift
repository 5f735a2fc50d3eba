import PersistenceRuntime

extension SavedChanges {
  /// Assigns former keys to restored objects, unless other rows have them by now.
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
    // A hierarchy shares one table, so a row of any class may have the key.
    let request = FetchRequest(entity: changes.map.rootMap.entity, selection: .keys(returning.map(\.key)))
    var taken = Set(try changes.map.store.engine.keys(request, in: transaction))
    for (state, key) in returning where taken.insert(key).inserted {
      state.pointee.primaryKey = key
      changes.source.forgetRanks(of: key)
    }
  }
}

extension ModelState {
  /// The key of the object's deleted row, if the object waits for its insertion.
  func formerKey(of entity: StoreEntity) -> Int64? {
    guard let row = extras?.formerRow, row.entity == entity else { return nil }
    return row.key
  }
}

extension EntityChanges {
  /// Removes the ranks of a restored row: its key determines its rank in lists.
  fileprivate func forgetRanks(of key: Int64) {
    for position in listPositions.keys where listPositions[position]?[key] != nil {
      context?.transactionSnapshot?.noteRank(of: key, at: position, in: self)
      listPositions[position]?[key] = nil
    }
  }

  /// The object that waits for its insertion with a former key.
  func returningObject(for key: Int64) -> AnyObject? {
    func find<T: PersistentModel>(_ type: T.Type) -> AnyObject? {
      let row = map.store.storeEntity(of: map.entity)
      return livingInserted.first { unsafeDowncast($0, to: T.self)._$state.pointee.formerKey(of: row) == key }
    }
    return context?.undoRecorder == nil ? nil : find(map.modelType)
  }
}
