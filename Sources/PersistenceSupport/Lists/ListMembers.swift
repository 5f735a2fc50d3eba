/// The objects of a to-many relationship at its last comparison.
package struct ListMembers {
  package private(set) var objects: ContiguousArray<AnyObject>
  /// The identities of ``objects``, built on the first look-up.
  private var identities: Set<ObjectIdentifier>?

  package init(_ objects: ContiguousArray<AnyObject>) {
    self.objects = objects
  }

  package mutating func contains(_ object: AnyObject) -> Bool {
    if let identities { return identities.contains(ObjectIdentifier(object)) }
    let made = Set(objects.lazy.map(ObjectIdentifier.init))
    identities = made
    return made.contains(ObjectIdentifier(object))
  }

  package mutating func replace(_ range: Range<Int>, with new: ContiguousArray<AnyObject>) {
    for object in objects[range] { identities?.remove(ObjectIdentifier(object)) }
    for object in new { identities?.insert(ObjectIdentifier(object)) }
    objects.replaceSubrange(range, with: new)
  }

  package mutating func append(_ object: AnyObject) {
    identities?.insert(ObjectIdentifier(object))
    objects.append(object)
  }

  package mutating func removeLast(_ count: Int) {
    for object in objects.suffix(count) { identities?.remove(ObjectIdentifier(object)) }
    objects.removeLast(count)
  }

  package mutating func remove(_ others: ObjectSet) {
    for object in others.objects { identities?.remove(ObjectIdentifier(object)) }
    others.takeOut(of: &objects)
  }
}
