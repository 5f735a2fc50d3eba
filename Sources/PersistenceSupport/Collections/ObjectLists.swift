import Foundation

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

// Operations on lists of objects as arrays of addresses. A save that removes one object from a list may scan all of it,
// so the cost per object is one comparison or copy of an address.

extension ContiguousArray where Element == AnyObject {
  /// Shares the storage of a list until one of the two is mutated.
  package init<Object: AnyObject>(sharing list: [Object]) {
    // Reference types have one representation, so no cast of each element is necessary.
    let objects = unsafe unsafeBitCast(list, to: [AnyObject].self)
    self.init(objects)
  }

  /// Whether both lists have the same objects in the same order.
  package func isSame(as other: ContiguousArray<AnyObject>) -> Bool {
    guard count == other.count else { return false }
    return withUnsafeBytes { own in
      other.withUnsafeBytes { other in
        guard let first = own.baseAddress, let second = other.baseAddress else { return true }
        return memcmp(first, second, own.count) == 0
      }
    }
  }

  /// The number of equal leading objects.
  package func commonPrefix<Object: AnyObject>(with list: [Object]) -> Int {
    let limit = Swift.min(count, list.count)
    return withUnsafeBytes { own in
      list.withUnsafeBytes { other in
        guard let start = own.baseAddress, let otherStart = other.baseAddress else { return 0 }
        if memcmp(start, otherStart, limit * MemoryLayout<UInt>.stride) == 0 { return limit }
        let (left, right) = (own.bindMemory(to: UInt.self), other.bindMemory(to: UInt.self))
        var index = 0
        while index < limit, left[index] == right[index] { index += 1 }
        return index
      }
    }
  }

  /// The number of equal trailing objects, excluding a leading part.
  package func commonSuffix<Object: AnyObject>(with list: [Object], after start: Int) -> Int {
    let limit = Swift.min(count, list.count) - start
    return withUnsafeBytes { own in
      list.withUnsafeBytes { other in
        let bytes = limit * MemoryLayout<UInt>.stride
        guard let end = own.baseAddress, let otherEnd = other.baseAddress else { return 0 }
        if memcmp(end + (own.count - bytes), otherEnd + (other.count - bytes), bytes) == 0 { return limit }
        let (left, right) = (own.bindMemory(to: UInt.self), other.bindMemory(to: UInt.self))
        var length = 0
        while length < limit, left[left.count - 1 - length] == right[right.count - 1 - length] { length += 1 }
        return length
      }
    }
  }
}

extension ObjectSet {
  /// Up to this count the set is searched linearly, which is faster than a look-up per list element.
  private static let few = 4

  /// Removes the objects from a list.
  package func takeOut<Object: AnyObject>(of list: inout [Object]) {
    guard count <= Self.few else { return list.removeAll { contains($0) } }
    let found = list.withUnsafeBytes { indices(in: $0) }
    for index in found { list.remove(at: index) }
  }

  /// Removes the objects from a list.
  package func takeOut(of list: inout ContiguousArray<AnyObject>) {
    guard count <= Self.few else { return list.removeAll { contains($0) } }
    let found = list.withUnsafeBytes { indices(in: $0) }
    for index in found { list.remove(at: index) }
  }

  /// The objects that a list contains.
  package func members(of list: ContiguousArray<AnyObject>) -> ObjectSet {
    var members = ObjectSet()
    if count > Self.few {
      for object in list where contains(object) { members.insert(object) }
    } else {
      let found = list.withUnsafeBytes { indices(in: $0) }
      for index in found { members.insert(list[index]) }
    }
    return members
  }

  /// The indices of the objects in a list of addresses, in descending order.
  private func indices(in list: UnsafeRawBufferPointer) -> [Int] {
    let addresses = list.bindMemory(to: UInt.self)
    let end = addresses.count
    var found: [Int] = []
    for object in objects {
      let address = UInt(bitPattern: ObjectIdentifier(object))
      var index = 0
      while index < end {
        if addresses[index] == address { found.append(index) }
        index += 1
      }
    }
    return found.sorted(by: >)
  }
}

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

/// The order of a to-many relationship as numbers.
///
/// Models are ordered by their keys, which is the order of their first saves if the engine's keys rise. A moved model
/// gets a position of its own between keys. Models that are not moved or are appended need no number, unless their keys
/// are less than those before them (decision 11).
package enum ListOrder {
  /// The explicit position of a model.
  package struct Position: Sendable, Hashable {
    package let key: Int64
    package let rank: Double

    package init(key: Int64, rank: Double) {
      self.key = key
      self.rank = rank
    }
  }

  /// The positions to change so that the models have the given order.
  ///
  /// - Parameters:
  ///   - members: The keys in the new order, with the current positions.
  ///   - end: A key above all keys in use: models appended later come after it. If keys do not rise, ``end(of:)``.
  ///   - arrived: The keys of models that get a position in any case, so that the others keep theirs.
  package static func moves(_ members: [Position], end: Int64, arrived: Set<Int64> = []) -> [Position] {
    let staying = longestRise(members, without: arrived)
    guard staying.count < members.count else { return [] }
    return moves(members, staying: staying, end: Double(end)) ?? renumbered(members, end: Double(end))
  }

  /// A key above all positions of a list, for an engine whose keys do not rise: models appended later are compared with
  /// the positions.
  package static func end(of members: [Position]) -> Int64 {
    let last = members.reduce(0) { max($0, $1.rank) }
    return min(Int64(exactly: last.rounded(.up)) ?? EngineKeys.greatest, EngineKeys.greatest) + 1
  }

  /// The positions without those whose key comes again later, and those of models that have no row yet.
  package static func lastOfEachKey(_ positions: [Position]) -> [Position] {
    var known: Set<Int64> = [0]
    return positions.reversed().filter { known.insert($0.key).inserted }.reversed()
  }

  /// Positions for the models that move, evenly between their neighbours; nil if two neighbours have no number between
  /// them.
  private static func moves(_ members: [Position], staying: [Int], end: Double) -> [Position]? {
    var result: [Position] = []
    var index = 0
    var lower: Double?
    for anchor in staying.map(Optional.some) + [nil] {
      let next = anchor ?? members.count
      let upper = anchor.map { members[$0].rank } ?? lower.map { $0 < end ? end : $0 + 1 } ?? end
      let count = Double(next - index)
      let start = lower ?? upper - count - 1
      for (offset, member) in members[index..<next].enumerated() {
        let rank = start + (upper - start) * (Double(offset + 1) / (count + 1))
        guard rank > (result.last.map { max($0.rank, start) } ?? start), rank < upper else { return nil }
        result.append(Position(key: member.key, rank: rank))
      }
      lower = anchor.map { members[$0].rank }
      index = next + 1
    }
    return result
  }

  private static func renumbered(_ members: [Position], end: Double) -> [Position] {
    let start = end - Double(members.count)
    return members.enumerated().map { Position(key: $1.key, rank: start + Double($0)) }
  }

  /// The indices of a longest increasing subsequence of the positions; these models keep theirs.
  private static func longestRise(_ members: [Position], without arrived: Set<Int64>) -> [Int] {
    var tails: [Int] = []
    var before = [Int](repeating: -1, count: members.count)
    for index in members.indices where arrived.isEmpty || !arrived.contains(members[index].key) {
      let rank = members[index].rank
      var (low, high) = (0, tails.count)
      if let last = tails.last, members[last].rank < rank { low = high }
      while low < high {
        let middle = (low + high) / 2
        if members[tails[middle]].rank < rank { low = middle + 1 } else { high = middle }
      }
      before[index] = low > 0 ? tails[low - 1] : -1
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var result: [Int] = []
    var index = tails.last ?? -1
    while index >= 0 {
      result.append(index)
      index = before[index]
    }
    return result.reversed()
  }
}

extension [ListOrder.Position] {
  /// By their ranks; keys decide between equal ones.
  package var inOrder: [ListOrder.Position] { sorted { ($0.rank, $0.key) < ($1.rank, $1.key) } }
}
