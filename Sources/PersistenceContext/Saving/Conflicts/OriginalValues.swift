import PersistenceRuntime

/// The values of properties before their pending changes.
///
/// One list for an entity instead of one for each object: unchanged objects need no memory, and a change one append. It
/// is searched only after a commit of others.
struct OriginalValues {
  private struct Entry {
    /// The lists of changes retain the object as long as the entry exists.
    let object: ObjectIdentifier
    let position: Int
    let value: Any
  }

  /// A property of an object.
  private struct PropertyKey: Hashable {
    let object: ObjectIdentifier
    let position: Int
  }

  private var entries: ContiguousArray<Entry> = []
  /// The recorded properties among those that share a mask bit.
  private var broad: Set<PropertyKey> = []
  /// The keys of objects with pending changes whose rows others changed or deleted meanwhile.
  private(set) var contested: Set<Int64> = []

  var isEmpty: Bool { entries.isEmpty && contested.isEmpty }

  mutating func contest(_ key: Int64) { contested.insert(key) }

  mutating func note(_ value: Any, of object: AnyObject, at position: Int) {
    let identity = ObjectIdentifier(object)
    let isShared = position >= PropertyMask.sharedPosition
    if isShared, !broad.insert(PropertyKey(object: identity, position: position)).inserted { return }
    entries.append(Entry(object: identity, position: position, value: value))
  }

  /// Keeps only the values of some objects and the contested keys among some.
  mutating func keepOnly(_ objects: Set<ObjectIdentifier>, keys: [Int64]) {
    entries.removeAll { !objects.contains($0.object) }
    broad = broad.filter { objects.contains($0.object) }
    contested.formIntersection(keys)
  }

  /// The values by object and position. The first recorded value is the one that was read.
  func grouped() -> [ObjectIdentifier: [Int: Any]] {
    var result: [ObjectIdentifier: [Int: Any]] = [:]
    for entry in entries {
      result[entry.object, default: [:]].merge([entry.position: entry.value]) { first, _ in first }
    }
    return result
  }
}

/// The object of a to-one relationship before its change.
struct OriginalReference {
  let object: (any PersistentModel)?

  var key: Int64 { object?._$state.pointee.primaryKey ?? 0 }
}
