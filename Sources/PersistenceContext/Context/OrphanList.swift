/// The objects of a context that lost the target of a required relationship, in order.
///
/// Look-ups are by object, because many objects may lose and regain one target. Removed entries are returned to the
/// caller: the deinitialiser of an object may run code that changes the list, which must not happen during a mutation.
struct OrphanList {
  private var entries: ContiguousArray<Orphan?> = []
  private var indexes: [ObjectIdentifier: [Int]] = [:]

  var isEmpty: Bool { indexes.isEmpty }
  var all: [Orphan] { entries.compactMap { $0 } }

  mutating func append(_ orphan: Orphan) {
    indexes[ObjectIdentifier(orphan.object), default: []].append(entries.count)
    entries.append(orphan)
  }

  /// The losses of an object.
  func losses(of object: AnyObject) -> [Orphan] {
    indexes[ObjectIdentifier(object)]?.compactMap { entries[$0] } ?? []
  }

  /// Removes the losses of an object.
  ///
  /// - Parameter position: The relationship; nil for all.
  @discardableResult
  mutating func remove(_ object: AnyObject, at position: Int? = nil) -> [Orphan] {
    guard !indexes.isEmpty, let found = indexes.removeValue(forKey: ObjectIdentifier(object)) else { return [] }
    var (removed, kept): ([Orphan], [Int]) = ([], [])
    for index in found {
      guard let orphan = entries[index] else { continue }
      guard position == nil || orphan.position == position else {
        kept.append(index)
        continue
      }
      removed.append(orphan)
      entries[index] = nil
    }
    if !kept.isEmpty { indexes[ObjectIdentifier(object)] = kept }
    if indexes.isEmpty { entries = [] }
    return removed
  }
}

extension ModelContext {
  /// Replaces a list of the context. The former list is released afterwards, because deinitialisers of its objects may
  /// run code that changes the list.
  func exchange<Value>(_ list: ReferenceWritableKeyPath<ModelContext, Value>, for value: Value) {
    let former = self[keyPath: list]
    self[keyPath: list] = value
    withExtendedLifetime(former) {}
  }
}
