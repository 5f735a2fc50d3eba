/// Objects of rows for which the context has registered another object, such as new ones that a save upserted into
/// existing rows.
///
/// A look-up by key does not find such an object, so changes of the row reach it through this list. An object stays
/// listed while it represents the row, even if it is the only one left or is registered later. For the inserting side
/// of the map only.
package struct SecondInstances {
  private struct Reference {
    weak var object: (any PersistentModel)?
  }

  /// The objects of one row.
  private struct Row {
    private var references: [Reference] = []
    /// The number of references at which deallocated and duplicate ones are dropped.
    private var limit = 4

    mutating func add(_ object: any PersistentModel) {
      if references.count >= limit {
        sift()
        limit = max(4, 2 * references.count)
      }
      references.append(Reference(object: object))
    }

    private mutating func sift() {
      var known: Set<ObjectIdentifier> = []
      references.removeAll { reference in
        guard let object = reference.object else { return true }
        return !known.insert(ObjectIdentifier(object)).inserted
      }
    }

    /// The row without deallocated objects; nil if none is left.
    var sifted: Self? {
      var row = self
      row.sift()
      return row.references.isEmpty ? nil : row
    }

    /// The living objects that still represent the row: one may have left it, or have been inserted anew.
    func objects(of key: Int64) -> [any PersistentModel] {
      references.compactMap { $0.object }.filter { object in
        let state = object._$state
        return state.pointee.primaryKey == key && !state.pointee.flags.contains(.inserted)
      }
    }
  }

  private var rows: [Int64: Row] = [:]
  /// The number of rows at which those without living objects are dropped.
  private var limit = 64

  package var isEmpty: Bool { rows.isEmpty }

  mutating func add(_ object: any PersistentModel, key: Int64) {
    if rows.count >= limit {
      rows = rows.compactMapValues { $0.sifted }
      limit = max(64, 2 * rows.count)
    }
    rows[key, default: Row()].add(object)
  }

  /// The objects of a row.
  func objects(for key: Int64) -> [any PersistentModel] { rows[key]?.objects(of: key) ?? [] }

  /// The objects of all rows.
  var objects: [any PersistentModel] { rows.flatMap { key, row in row.objects(of: key) } }
}

extension IdentityMap {
  /// The second objects of a row.
  package func secondObjects(ofRow key: Int64) -> [any PersistentModel] {
    // Undoing a deletion restores the row's key; an object that it does not restore stays gone.
    members(of: seconds.objects(for: key)).filter { !$0._$state.pointee.flags.contains(.gone) }
  }

  /// The second objects of all rows, including deleted rows.
  package var secondObjects: [any PersistentModel] { members(of: seconds.objects) }

  /// All living objects that represent or represented a row: registered ones, then second ones.
  package func objectsOfRows() -> [AnyObject] {
    let registered = livingObjects()
    return seconds.isEmpty ? registered : registered + secondObjects.map { $0 as AnyObject }
  }

  private func members(of models: [any PersistentModel]) -> [any PersistentModel] {
    // An object that left the context may have a row of the same key in another.
    models.filter { $0._$state.pointee.identityMap?.rootMap === rootMap && isMember($0) }
  }

  /// All objects of a row: the registered one, then second ones.
  package func objects(ofRow key: Int64) -> [any PersistentModel] {
    guard let registered = object(for: key).map(entity.model) else { return secondObjects(ofRow: key) }
    // An object that was registered again is still listed.
    return [registered] + secondObjects(ofRow: key).filter { $0 !== registered }
  }

  /// An object of a row: the registered one, or a second one if that is deallocated.
  package func anyObject(ofRow key: Int64) -> AnyObject? {
    if let registered = object(for: key) { return registered }
    guard !seconds.isEmpty, let second = secondObjects(ofRow: key).first else { return nil }
    return second
  }

  /// The objects of a row other than a given one.
  package func otherObjects(ofRowOf object: AnyObject, key: Int64) -> [any PersistentModel] {
    seconds.isEmpty ? [] : objects(ofRow: key).filter { $0 !== object }
  }
}

extension PersistentModel {
  /// Makes the object a second one of a row that has a registered object.
  package func _$becomeSecond(_ key: Int64, in map: IdentityMap, flags: ModelState.Flags) {
    let state = _$state
    state.pointee.withdraw(Unmanaged.passUnretained(self).toOpaque())
    state.pointee.identityMap = map
    state.pointee.primaryKey = key
    state.pointee.flags = flags
    map.seconds.add(self, key: key)
    // The program may hold its backing data alone, as it may that of a registered one.
    if !Self._$isGenerated { map.keep(self, key: key) }
  }
}
