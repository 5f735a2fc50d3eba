/// The changes of an object's to-many relationship since the last save.
///
/// Exists while the object has unsaved changes. Confined to the isolation of the object.
package final class ListChanges {
  package let position: Int
  /// Added objects that the store must be told individually: those of a pair table, or of a relationship that is not
  /// loaded.
  package private(set) var added = ObjectSet()
  /// Removed objects; the counterpart of ``added``.
  package private(set) var removed = ObjectSet()
  /// Removed objects that the loaded value still contains. The next read removes them in one pass: removing them one by
  /// one would take time proportional to the list's length each.
  package private(set) var stale = ObjectSet()
  /// The first index from which on the order may differ from the store's.
  package private(set) var firstMoved = Int.max
  /// A copy of the value during in-index changes, when the value itself must not be shared.
  package var members: ListMembers?
  /// How often the end of the value changed since the last full comparison with ``members``.
  package var uncomparedSteps = 0

  package init(position: Int) {
    self.position = position
  }

  /// Copies the changes, for a snapshot.
  package init(copying other: ListChanges) {
    position = other.position
    (added, removed, stale) = (other.added, other.removed, other.stale)
    (firstMoved, members, uncomparedSteps) = (other.firstMoved, other.members, other.uncomparedSteps)
  }

  package func noteAddition(of object: AnyObject) {
    // A removed object that is added again moves to the end, so the store gets both changes.
    added.insert(object)
  }

  package func noteRemoval(of object: AnyObject) {
    if !added.remove(object) { removed.insert(object) }
  }

  /// Discards the copy after the value was reloaded, unless a comparison with it is pending.
  package func forgetMembers() {
    if uncomparedSteps == 0 { members = nil }
  }

  /// Drops an addition that the store has by now.
  package func forgetAddition(of object: AnyObject) { added.remove(object) }

  /// Drops the removals, which the store has by now.
  package func forgetRemovals() {
    let former = removed
    removed = ObjectSet()
    // Released after the mutation: deinitialisers of removed objects may read the list.
    withExtendedLifetime(former) {}
  }

  /// Starts over with an empty value.
  package func restart() {
    members = nil
    stale = ObjectSet()
    firstMoved = 0
  }

  package func noteMove(from index: Int) {
    firstMoved = min(firstMoved, index)
  }

  package func noteStale(_ object: AnyObject) {
    stale.insert(object)
    // The indices behind it shift, and the new order is unsaved.
    if firstMoved != .max { firstMoved = 0 }
  }

  /// Returns the objects to be removed from the value, and marks them as removed.
  package func takeStale() -> ObjectSet {
    defer { stale = ObjectSet() }
    members?.remove(stale)
    return stale
  }
}

/// The difference between the old and the new members of a to-many relationship.
package struct ListReconciliation<Destination: AnyObject> {
  package private(set) var new: [Destination]
  /// The range of old members that differ, between the common prefix and suffix.
  package private(set) var oldRange: Range<Int>
  private var newRange: Range<Int>
  private var old: ContiguousArray<AnyObject>
  package private(set) var removed: ContiguousArray<AnyObject> = []
  package private(set) var added: ContiguousArray<AnyObject> = []

  package init(old: ContiguousArray<AnyObject>, new: [Destination]) {
    self.old = old
    self.new = new
    let start = old.commonPrefix(with: new)
    let end = old.commonSuffix(with: new, after: start)
    oldRange = start..<(old.count - end)
    newRange = start..<(new.count - end)
    compare()
  }

  package var isUnchanged: Bool { oldRange.isEmpty && newRange.isEmpty }
  /// The new members in place of ``oldRange``.
  package var arrived: ContiguousArray<AnyObject> { ContiguousArray(new[newRange].lazy.map { $0 as AnyObject }) }
  /// Whether members may have been reordered. A removal alone reorders none.
  package var mayHaveMoved: Bool { !newRange.isEmpty }

  /// Replaces the added objects; those without a replacement are left out.
  package mutating func replaceAdditions(_ admit: (Destination) -> Destination?) {
    guard !added.isEmpty else { return }
    let arrivals = Set(added.lazy.map(ObjectIdentifier.init))
    var isSame = true
    let admitted = new[newRange].compactMap { object -> Destination? in
      guard arrivals.contains(ObjectIdentifier(object)) else { return object }
      let other = admit(object)
      if other !== object { isSame = false }
      return other
    }
    if !isSame { replaceArrivals(by: admitted) }
  }

  /// Removes repetitions: a relationship holds each object once.
  package mutating func dropRepetitions(in members: inout ListMembers?) {
    guard !newRange.isEmpty, hasRepetitions(in: &members) else { return }
    var seen: Set<ObjectIdentifier> = []
    self = ListReconciliation(old: old, new: new.filter { seen.insert(ObjectIdentifier($0)).inserted })
  }

  private func hasRepetitions(in members: inout ListMembers?) -> Bool {
    let leaving = Set(old[oldRange].lazy.map(ObjectIdentifier.init))
    var seen: Set<ObjectIdentifier> = []
    var known = members ?? ListMembers(old)
    defer { members = known }
    return new[newRange].contains { object in
      let isElsewhere = known.contains(object) && !leaving.contains(ObjectIdentifier(object))
      return isElsewhere || !seen.insert(ObjectIdentifier(object)).inserted
    }
  }

  /// Releases the old members, so that an in-place change of them does not copy.
  package mutating func forgetOld() { old = [] }

  private mutating func replaceArrivals(by objects: [Destination]) {
    new.replaceSubrange(newRange, with: objects)
    newRange = newRange.lowerBound..<(newRange.lowerBound + objects.count)
    compare()
  }

  private mutating func compare() {
    let (left, right) = (old[oldRange], new[newRange])
    if left.isEmpty || right.isEmpty {
      removed = ContiguousArray(left)
      added = ContiguousArray(right.lazy.map { $0 as AnyObject })
      return
    }
    let before = Set(left.lazy.map(ObjectIdentifier.init))
    let after = Set(right.lazy.map { ObjectIdentifier($0) })
    removed = ContiguousArray(left.lazy.filter { !after.contains(ObjectIdentifier($0)) })
    added = ContiguousArray(right.lazy.filter { !before.contains(ObjectIdentifier($0)) }.map { $0 as AnyObject })
  }
}

// Changes at the end of a list are found without comparing all of it: appending n objects one by one would take n²
// steps.

extension ListMembers {
  /// Shorter lists are compared completely, which is as fast.
  private static let shortest = 256
  private static let samples = 16

  /// The length of the common prefix of these and a list that differ only in length, by samples; nil if the whole list
  /// has to be compared.
  ///
  /// An insertion or removal before the end moves the last object of the shorter list.
  package func commonStart<Destination: AnyObject>(with list: [Destination]) -> Int? {
    let limit = min(objects.count, list.count)
    guard limit > Self.shortest, objects.count != list.count, objects[limit - 1] === list[limit - 1] else { return nil }
    for index in stride(from: 0, to: limit, by: limit / Self.samples) where objects[index] !== list[index] {
      return nil
    }
    return limit
  }
}
