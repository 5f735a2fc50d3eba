/// What was done to a to-many relationship of an object since its last save, beside the value that it has.
///
/// It lives as long as the object has changes to save. Confined to whoever may use the object.
package final class ListChanges {
  package let position: Int
  /// Objects that came, as far as the store has to be told about each: where pairs have a table, or where the
  /// relationship has not been loaded.
  package private(set) var added = ObjectSet()
  /// Objects that went; the counterpart of ``added``.
  package private(set) var removed = ObjectSet()
  /// Objects that are still in the loaded value and are taken out of it when it is next read: taking out one after the
  /// other would cost as much each time as the value is long.
  package private(set) var stale = ObjectSet()
  /// From which place on the order may not be the one that the store has.
  package private(set) var firstMoved = Int.max
  /// The value once it is changed in place, because then the value itself must not be shared.
  package var members: ListMembers?
  /// How often the value changed at its end since all of it was last compared with ``members``.
  package var uncomparedSteps = 0

  init(position: Int) {
    self.position = position
  }

  /// The same changes, to return to.
  package init(copying other: ListChanges) {
    position = other.position
    (added, removed, stale) = (other.added, other.removed, other.stale)
    (firstMoved, members, uncomparedSteps) = (other.firstMoved, other.members, other.uncomparedSteps)
  }

  package func noteAddition(of object: AnyObject) {
    // One that went before comes back at the end: the store hears of both.
    added.insert(object)
  }

  package func noteRemoval(of object: AnyObject) {
    if !added.remove(object) { removed.insert(object) }
  }

  /// Forgets what the value held, which was filled anew. What is still to be compared with it needs it.
  package func forgetMembers() {
    if uncomparedSteps == 0 { members = nil }
  }

  /// Forgets that an object came, which the store knows by now.
  package func forgetAddition(of object: AnyObject) { added.remove(object) }

  /// Forgets all that went, which the store knows by now.
  package func forgetRemovals() { removed = ObjectSet() }

  /// Begins again with a value that holds nothing.
  package func restart() {
    members = nil
    stale = ObjectSet()
    firstMoved = 0
  }

  package func noteMove(from place: Int) {
    firstMoved = min(firstMoved, place)
  }

  package func noteStale(_ object: AnyObject) {
    stale.insert(object)
    // Places behind it move up, and the order that was made stays to be saved.
    if firstMoved != .max { firstMoved = 0 }
  }

  /// Hands over the objects that are to be taken out, which are out then.
  package func takeStale() -> ObjectSet {
    defer { stale = ObjectSet() }
    members?.remove(stale)
    return stale
  }
}
