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

// Operations on lists of objects as arrays of addresses. A save that removes one object from a list may scan the whole
// list, so the cost per object is one comparison or copy of an address.

extension ContiguousArray where Element == AnyObject {
  /// Creates an array that shares the storage of a list until either of the two is mutated.
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

  /// The objects of this set that a list contains.
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
/// Models are ordered by their keys. If every new key is greater than earlier keys, this is the order of the models'
/// first saves. A moved model gets an explicit position between keys. Models that are not moved, and appended models,
/// need no explicit position unless their keys are less than those of the models before them (decision 11).
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
  ///   - end: A key above all keys in use; models appended later come after it. If new keys may be less, ``end(of:)``.
  ///   - arrived: The keys of models that always get a new position, so that the other models keep theirs.
  package static func moves(_ members: [Position], end: Int64, arrived: Set<Int64> = []) -> [Position] {
    let staying = longestRise(members, without: arrived)
    guard staying.count < members.count else { return [] }
    return moves(members, staying: staying, end: Double(end)) ?? renumbered(members, end: Double(end))
  }

  /// A key above all positions of a list, for an engine whose new keys may be less than earlier ones. The keys of
  /// models that are appended later are compared with the positions.
  package static func end(of members: [Position]) -> Int64 {
    let last = members.reduce(0) { max($0, $1.rank) }
    return min(Int64(exactly: last.rounded(.up)) ?? EngineKeys.greatest, EngineKeys.greatest) + 1
  }

  /// Removes positions of models without a row, and all but the last position of each key.
  package static func lastOfEachKey(_ positions: [Position]) -> [Position] {
    var known: Set<Int64> = [0]
    return positions.reversed().filter { known.insert($0.key).inserted }.reversed()
  }

  /// Positions for the moved models, evenly spaced between neighbours; nil if no number lies between two neighbours.
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

  /// The indices of a longest increasing subsequence of the positions. Their models keep their positions.
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
  /// The positions in ascending order of rank; the keys decide between equal ranks.
  package var inOrder: [ListOrder.Position] { sorted { ($0.rank, $0.key) < ($1.rank, $1.key) } }
}

/// The changes of an object's to-many relationship since the last save.
///
/// Exists while the object has unsaved changes. Confined to the isolation of the object.
package final class ListChanges {
  package let position: Int
  /// Added objects that a save writes individually: those in a junction table or in a relationship that is not loaded.
  package private(set) var added = ObjectSet()
  /// Removed objects; the counterpart of ``added``.
  package private(set) var removed = ObjectSet()
  /// Removed objects that the loaded value still contains. The next read removes them in one pass, because each
  /// separate removal takes time proportional to the list's length.
  package private(set) var stale = ObjectSet()
  /// The first index from which the order may differ from the order in the store.
  package private(set) var firstMoved = Int.max
  /// A copy of the value during in-place changes, when the value itself must not be shared.
  package var members: ListMembers?
  /// The number of changes at the end of the value since the last full comparison with ``members``.
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
    // A removed object that is added again moves to the end. So it stays in `removed`, and a save writes both changes.
    added.insert(object)
  }

  package func noteRemoval(of object: AnyObject) {
    if !added.remove(object) { removed.insert(object) }
  }

  /// Discards ``members`` after the value was reloaded, unless a comparison with them is pending.
  package func forgetMembers() {
    if uncomparedSteps == 0 { members = nil }
  }

  /// Discards an addition that the store already contains.
  package func forgetAddition(of object: AnyObject) { added.remove(object) }

  /// Discards the removals, which the store already contains.
  package func forgetRemovals() {
    let former = removed
    removed = ObjectSet()
    // The objects are released after the mutation: deinitialisers of removed objects may read the list.
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
    // The removal shifts later objects, whose new order is unsaved.
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
  /// The new members that replace ``oldRange``.
  package var arrived: ContiguousArray<AnyObject> { ContiguousArray(new[newRange].lazy.map { $0 as AnyObject }) }
  /// Whether members may have been reordered. A removal alone reorders none.
  package var mayHaveMoved: Bool { !newRange.isEmpty }

  /// Replaces the added objects; objects without a replacement are omitted.
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

// Detects changes at the end of a list without comparing the whole list. With whole comparisons, appending n objects
// one by one would take n² steps.

extension ListMembers {
  /// Shorter lists are compared completely, which is as fast.
  private static let shortest = 256
  private static let samples = 16

  /// The length of the common prefix with a list, if samples show that only the ends differ; nil if the whole list has
  /// to be compared.
  ///
  /// The samples detect an insertion or removal before the end, because it moves the last object of the shorter list.
  package func commonStart<Destination: AnyObject>(with list: [Destination]) -> Int? {
    let limit = min(objects.count, list.count)
    guard limit > Self.shortest, objects.count != list.count, objects[limit - 1] === list[limit - 1] else { return nil }
    for index in stride(from: 0, to: limit, by: limit / Self.samples) where objects[index] !== list[index] {
      return nil
    }
    return limit
  }
}

/// Maps owner keys to indices.
@usableFromInline
package struct OwnerIndices {
  @usableFromInline var first: Int64 = 0
  @usableFromInline var dense: ContiguousArray<Int32> = []
  @usableFromInline var sparse: [Int64: Int] = [:]

  package init(_ keys: [Int64]) {
    guard let least = keys.min(), let greatest = keys.max() else { return }
    let (span, isTooLarge) = greatest.subtractingReportingOverflow(least)
    guard !isTooLarge, span < Int64(keys.count) * 8 + 1_024 else {
      sparse = Dictionary(keys.enumerated().map { ($1, $0) }) { first, _ in first }
      return
    }
    first = least
    dense = ContiguousArray(repeating: -1, count: Int(span) + 1)
    for (ownerIndex, key) in keys.enumerated() { dense[Int(key - least)] = Int32(ownerIndex) }
  }

  @inlinable
  package subscript(key: Int64) -> Int {
    guard !dense.isEmpty else { return sparse[key] ?? -1 }
    let (offset, isTooLarge) = key.subtractingReportingOverflow(first)
    guard !isTooLarge, offset >= 0, offset < Int64(dense.count) else { return -1 }
    return Int(dense[Int(offset)])
  }
}
