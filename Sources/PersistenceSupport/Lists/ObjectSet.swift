/// A set of objects by identity, in insertion order.
package struct ObjectSet {
  private var positions: [ObjectIdentifier: Int] = [:]
  private var elements: ContiguousArray<AnyObject?> = []

  package init() {}

  package var isEmpty: Bool { positions.isEmpty }
  package var count: Int { positions.count }
  /// The objects, in order.
  package var objects: ContiguousArray<AnyObject> { ContiguousArray(elements.lazy.compactMap { $0 }) }

  /// The objects that are not in a list, in order.
  package func objects(besides others: ContiguousArray<AnyObject>) -> ContiguousArray<AnyObject> {
    guard !isEmpty else { return [] }
    let known = Set(others.lazy.map(ObjectIdentifier.init))
    return objects.filter { !known.contains(ObjectIdentifier($0)) }
  }

  package func contains(_ object: AnyObject) -> Bool {
    positions[ObjectIdentifier(object)] != nil
  }

  /// Appends an object; returns false if it is in the set already.
  @discardableResult
  package mutating func insert(_ object: AnyObject) -> Bool {
    guard positions[ObjectIdentifier(object)] == nil else { return false }
    positions[ObjectIdentifier(object)] = elements.count
    elements.append(object)
    return true
  }

  /// Removes an object; returns false if it was not in the set.
  @discardableResult
  package mutating func remove(_ object: AnyObject) -> Bool {
    guard let position = positions.removeValue(forKey: ObjectIdentifier(object)) else { return false }
    elements[position] = nil
    if positions.isEmpty { elements.removeAll(keepingCapacity: true) }
    return true
  }
}
