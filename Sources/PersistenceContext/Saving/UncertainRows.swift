import PersistenceRuntime

/// The row of a new object that a commit with an unknown outcome may have inserted.
struct UncertainRow {
  let object: any PersistentModel
  let map: IdentityMap
  let key: Int64
}

extension SavedChanges {
  /// Notes the rows of new objects, after a commit with an unknown outcome and before the objects lose their keys.
  ///
  /// Objects that became existing rows are left out: their unique values lead to those rows again.
  func noteUncertainRows(of store: StoreCoordinator, in context: ModelContext) {
    for changes in entities where changes.map.store === store {
      for object in changes.inserted where !upserts.contains(object) {
        let model = changes.map.entity.model(object)
        let key = model._$state.pointee.primaryKey
        guard key != 0, model._$state.pointee.flags.contains(.inserted) else { continue }
        context.uncertainRows.append(UncertainRow(object: model, map: changes.map, key: key))
      }
    }
  }
}

extension TransactionSnapshot {
  /// The rows of objects that waited for their insertion before the transaction, after its commit had an unknown
  /// outcome and before it is undone in memory.
  var uncertainRows: [UncertainRow] {
    guard let store = uncertainStore else { return [] }
    return snapshots.compactMap { snapshot in
      let key = snapshot.object._$state.pointee.primaryKey
      guard snapshot.changes.map.store === store, snapshot.flags.contains(.inserted), key != 0 else { return nil }
      return UncertainRow(object: snapshot.object, map: snapshot.changes.map, key: key)
    }
  }
}

extension ModelContext {
  /// Finds out which uncertain rows exist. Their objects become changed objects, of which the next save writes every
  /// property; all others still wait for their insertion.
  ///
  /// Called outside of a `transaction`, before anything is read or saved that could find such a row.
  /// - Throws: The error of a store. All rows stay uncertain then.
  func settleUncertainRows() throws {
    guard !uncertainRows.isEmpty else { return }
    var found: [ObjectIdentifier: Set<Int64>] = [:]
    for rows in Dictionary(grouping: uncertainRows, by: { ObjectIdentifier($0.map.rootMap) }).values {
      let root = rows[0].map.rootMap
      found[ObjectIdentifier(root)] = try existingKeys(among: rows.map(\.key).sorted(), in: root)
    }
    let rows = uncertainRows
    uncertainRows = []
    for row in rows where found[ObjectIdentifier(row.map.rootMap)]?.contains(row.key) == true { adopt(row) }
  }

  /// Reads in a transaction: a read of this thread may have a snapshot from before the commit.
  private func existingKeys(among keys: [Int64], in map: IdentityMap) throws -> Set<Int64> {
    let transaction = try map.store.beginTransaction()
    defer { transaction.rollBack() }
    let request = FetchRequest(entity: map.entity, selection: .keys(keys))
    return Set(try map.store.engine.keys(request, in: transaction))
  }

  private func adopt(_ row: UncertainRow) {
    func adopt<T: PersistentModel>(_ model: T) { self.adopt(model, key: row.key, in: row.map) }
    adopt(row.object)
  }

  /// Makes a new object the changed object of its row.
  private func adopt<T: PersistentModel>(_ model: T, key: Int64, in map: IdentityMap) {
    let state = model._$state
    guard state.pointee.flags.contains(.inserted), state.pointee.identityMap === map else { return }
    model._$applyLinks()
    if let token = state.pointee.token {
      map.changes?.forget(token)
      // Others may have fetched the row since the commit. Only keys that rise say whether it has identifiers.
      token.resolve(to: key, of: map.store.storeEntity(of: map.entity), isAlias: !map.store.keysRise)
    }
    pending.inserted -= 1
    state.pointee.extras?.formerRow = nil
    state.pointee.forgetLeaving()
    if map.object(for: key) == nil {
      model._$register(key, in: map, flags: [])
    } else {
      // The row was read before it was settled, through a reference to it.
      model._$becomeSecond(key, in: map, flags: [])
    }
    // After the flags are gone, by which the lists are filtered.
    map.changes?.noteTakenBack()
    state.pointee.dirty = map.entity.properties.reduce(0) { $0 | $1.bit }
    // No change that an autosave has to be planned for: the object was pending before, and the context may be ending.
    state.pointee.flags.insert(.changed)
    map.changes?.changed.append(model)
    pending.changed += 1
    noteWholeLists(of: model, in: map)
  }

  /// Notes every member of the lists as an addition in a new order. The store keeps the pairs that it has.
  private func noteWholeLists<T: PersistentModel>(of model: T, in map: IdentityMap) {
    for relationship in map.entity.relationships where relationship.isToMany {
      let members = model._$edit(.read, at: relationship.position).objects
      guard !members.isEmpty else { continue }
      let list = model._$state.pointee.listChanges(at: relationship.position)
      if case .links = relationship.storage {
        // Backwards, because a list to which members were only appended would not be put in order.
        for member in members.reversed() { list.noteAddition(of: member) }
      }
      if relationship.isOrdered { list.noteMove(from: 0) }
    }
  }

  /// Marks the uncertain row of an object for deletion, when the insertion of the object is taken back.
  func deleteUncertainRow(of model: some PersistentModel) {
    guard let index = uncertainRows.firstIndex(where: { $0.object === model }) else { return }
    let row = uncertainRows.remove(at: index)
    guard let changes = row.map.changes, changes.batchDeletedKeys.insert(row.key).inserted else { return }
    pending.batchDeletedKeys += 1
  }
}
