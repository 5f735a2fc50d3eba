/// Objects by identity, in the order in which they were added.
package struct ObjectSet {
  private var positions: [ObjectIdentifier: Int] = [:]
  private var places: ContiguousArray<AnyObject?> = []

  package init() {}

  package var isEmpty: Bool { positions.isEmpty }
  var count: Int { positions.count }
  /// The objects, in order.
  package var objects: ContiguousArray<AnyObject> { ContiguousArray(places.lazy.compactMap { $0 }) }

  /// The objects that are not among others, in order.
  package func objects(besides others: ContiguousArray<AnyObject>) -> ContiguousArray<AnyObject> {
    guard !isEmpty else { return [] }
    let known = Set(others.lazy.map(ObjectIdentifier.init))
    return objects.filter { !known.contains(ObjectIdentifier($0)) }
  }

  package func contains(_ object: AnyObject) -> Bool {
    positions[ObjectIdentifier(object)] != nil
  }

  /// Adds an object at the end; false when it is there already.
  @discardableResult
  package mutating func insert(_ object: AnyObject) -> Bool {
    guard positions[ObjectIdentifier(object)] == nil else { return false }
    positions[ObjectIdentifier(object)] = places.count
    places.append(object)
    return true
  }

  /// Takes an object out; false when it was not there.
  @discardableResult
  mutating func remove(_ object: AnyObject) -> Bool {
    guard let position = positions.removeValue(forKey: ObjectIdentifier(object)) else { return false }
    places[position] = nil
    if positions.isEmpty { places.removeAll(keepingCapacity: true) }
    return true
  }
}
