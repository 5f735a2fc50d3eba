import PersistenceRuntime

/// What properties were before they were changed here, for as long as the changes wait to be saved.
///
/// A list for an entity and not a list in each object: it takes no memory where nothing is changed, and one append where
/// something is. It is only searched when somebody else has committed meanwhile.
struct OriginalValues {
  private struct Entry {
    /// The lists of changes hold the object for as long as the entry is here.
    let object: ObjectIdentifier
    let position: Int
    let value: Any
  }

  private struct Place: Hashable {
    let object: ObjectIdentifier
    let position: Int
  }

  private var entries: ContiguousArray<Entry> = []
  /// Which of the properties that share a bit are noted: the bit does not say.
  private var broad: Set<Place> = []
  /// The rows of objects with pending changes that others have changed or deleted meanwhile.
  private(set) var contested: Set<Int64> = []

  var isEmpty: Bool { entries.isEmpty && contested.isEmpty }

  mutating func contest(_ key: Int64) { contested.insert(key) }

  mutating func note(_ value: Any, of object: AnyObject, at position: Int) {
    let identity = ObjectIdentifier(object)
    let isShared = position >= PropertyMask.sharedPosition
    if isShared, !broad.insert(Place(object: identity, position: position)).inserted { return }
    entries.append(Entry(object: identity, position: position, value: value))
  }

  /// Forgets everything but what concerns objects whose changes still wait, and their rows.
  mutating func keepOnly(_ objects: Set<ObjectIdentifier>, keys: [Int64]) {
    entries.removeAll { !objects.contains($0.object) }
    broad = broad.filter { objects.contains($0.object) }
    contested.formIntersection(keys)
  }

  /// The values by object and position. The first that was noted is what was read.
  func grouped() -> [ObjectIdentifier: [Int: Any]] {
    var result: [ObjectIdentifier: [Int: Any]] = [:]
    for entry in entries {
      result[entry.object, default: [:]].merge([entry.position: entry.value]) { first, _ in first }
    }
    return result
  }
}

/// What a to-one relationship held before it was changed.
struct OriginalReference {
  let object: (any PersistentModel)?

  var key: Int64 { object?._$state.pointee.primaryKey ?? 0 }
}
