/// The objects of a context whose required relationships lost what they held, in the order in which that happened.
///
/// Many may have lost the same object, and each of them may get it back: what concerns one is found without looking at
/// the others. What is taken out is handed over: the end of an object may run code that changes the list, too, and must
/// not come in the middle of a change.
struct OrphanList {
  private var entries: ContiguousArray<Orphan?> = []
  private var places: [ObjectIdentifier: [Int]] = [:]

  var isEmpty: Bool { places.isEmpty }
  var all: [Orphan] { entries.compactMap { $0 } }

  mutating func append(_ orphan: Orphan) {
    places[ObjectIdentifier(orphan.object), default: []].append(entries.count)
    entries.append(orphan)
  }

  /// What an object has lost.
  func losses(of object: AnyObject) -> [Orphan] {
    places[ObjectIdentifier(object)]?.compactMap { entries[$0] } ?? []
  }

  /// Takes out what an object has lost.
  ///
  /// - Parameter position: The relationship that is meant; nil for all.
  @discardableResult
  mutating func remove(_ object: AnyObject, at position: Int? = nil) -> [Orphan] {
    guard !places.isEmpty, let found = places.removeValue(forKey: ObjectIdentifier(object)) else { return [] }
    var (removed, kept): ([Orphan], [Int]) = ([], [])
    for place in found {
      guard let orphan = entries[place] else { continue }
      guard position == nil || orphan.position == position else {
        kept.append(place)
        continue
      }
      removed.append(orphan)
      entries[place] = nil
    }
    if !kept.isEmpty { places[ObjectIdentifier(object)] = kept }
    if places.isEmpty { entries = [] }
    return removed
  }
}

extension ModelContext {
  /// Sets a list of the context that may be the last to hold objects. These go when the list is set: the end of an
  /// object may run code that changes it, too.
  func exchange<Value>(_ list: ReferenceWritableKeyPath<ModelContext, Value>, for value: Value) {
    let former = self[keyPath: list]
    self[keyPath: list] = value
    withExtendedLifetime(former) {}
  }
}
