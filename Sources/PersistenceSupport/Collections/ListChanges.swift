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
