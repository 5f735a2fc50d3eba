/// Objects that stand for rows of which the context has registered another object, such as new ones that a save gave to
/// rows that were there.
///
/// A lookup by key does not find such an object: what happens to the row reaches it from here. An object stays here
/// for as long as it stands for the row, also when it is the only one left, or is registered later. Only the
/// inserting side of the map may use it.
package struct SecondInstances {
  private struct Reference {
    weak var object: (any PersistentModel)?
  }

  /// The objects of one row.
  private struct Row {
    private var references: [Reference] = []
    /// How many there may be before those are forgotten that are gone, or here twice.
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

    /// The row without what is gone; nil when nothing is left.
    var sifted: Self? {
      var row = self
      row.sift()
      return row.references.isEmpty ? nil : row
    }

    /// Those that live and still stand for the row: one may have left it since, or been inserted anew.
    func objects(of key: Int64) -> [any PersistentModel] {
      references.compactMap { $0.object }.filter { object in
        let state = object._$state
        return state.pointee.primaryKey == key && !state.pointee.flags.contains(.inserted)
      }
    }
  }

  private var rows: [Int64: Row] = [:]
  /// How many rows there may be before those of objects that are gone are forgotten.
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

  /// All that stand for a row.
  var objects: [any PersistentModel] { rows.flatMap { key, row in row.objects(of: key) } }
}

extension IdentityMap {
  /// The second objects of a row.
  package func secondObjects(ofRow key: Int64) -> [any PersistentModel] {
    // A row that undoing brings back has its key again; objects that it does not bring back stay gone.
    members(of: seconds.objects(for: key)).filter { !$0._$state.pointee.flags.contains(.gone) }
  }

  /// The second objects of all rows, also of those that are gone.
  package var secondObjects: [any PersistentModel] { members(of: seconds.objects) }

  /// Every living object that stands for a row, or stood for one that is gone: the registered ones, then second ones.
  package func objectsOfRows() -> [AnyObject] {
    let registered = livingObjects()
    return seconds.isEmpty ? registered : registered + secondObjects.map { $0 as AnyObject }
  }

  private func members(of models: [any PersistentModel]) -> [any PersistentModel] {
    // One that left the context may have come to a row of the same key in another.
    models.filter { $0._$state.pointee.identityMap?.rootMap === rootMap && isMember($0) }
  }

  /// The objects that stand for a row: the registered one, and second ones.
  package func objects(ofRow key: Int64) -> [any PersistentModel] {
    guard let registered = object(for: key).map(entity.model) else { return secondObjects(ofRow: key) }
    // One that was registered again is noted still.
    return [registered] + secondObjects(ofRow: key).filter { $0 !== registered }
  }

  /// An object that stands for a row: the registered one, or where that is gone from memory a second one.
  package func anyObject(ofRow key: Int64) -> AnyObject? {
    if let registered = object(for: key) { return registered }
    guard !seconds.isEmpty, let second = secondObjects(ofRow: key).first else { return nil }
    return second
  }

  /// The objects that stand for the row of one besides it.
  package func otherObjects(ofRowOf object: AnyObject, key: Int64) -> [any PersistentModel] {
    seconds.isEmpty ? [] : objects(ofRow: key).filter { $0 !== object }
  }
}

extension PersistentModel {
  /// Makes the object one that stands for a row of which another is registered.
  package func _$becomeSecond(_ key: Int64, in map: IdentityMap, flags: ModelState.Flags) {
    let state = _$state
    state.pointee.withdraw(Unmanaged.passUnretained(self).toOpaque())
    state.pointee.identityMap = map
    state.pointee.primaryKey = key
    state.pointee.flags = flags
    map.seconds.add(self, key: key)
    // Its backing data may be held without it, like that of the registered one.
    if !Self._$isGenerated { map.keep(self, key: key) }
  }
}
