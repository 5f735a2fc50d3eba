import Foundation
import _CSwiftRuntime

/// A set of objects, compared by identity and kept in insertion order.
package struct ObjectSet {
  private var positions: [ObjectIdentifier: Int] = [:]
  private var elements: ContiguousArray<AnyObject?> = []

  package init() {}

  package var isEmpty: Bool { positions.isEmpty }
  package var count: Int { positions.count }
  /// The objects, in insertion order.
  package var objects: ContiguousArray<AnyObject> { ContiguousArray(elements.lazy.compactMap { $0 }) }

  /// The objects of the set that a list does not contain, in insertion order.
  package func objects(besides others: ContiguousArray<AnyObject>) -> ContiguousArray<AnyObject> {
    guard !isEmpty else { return [] }
    let known = Set(others.lazy.map(ObjectIdentifier.init))
    return objects.filter { !known.contains(ObjectIdentifier($0)) }
  }

  package func contains(_ object: AnyObject) -> Bool {
    positions[ObjectIdentifier(object)] != nil
  }

  /// Appends an object. Returns false if the set contains it already.
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

// These operations treat a list of objects as an array of addresses. A save that removes one object may have to search
// the whole list, so each step has to be as cheap as comparing or copying an address.

extension ContiguousArray where Element == AnyObject {
  /// Creates an array that shares the storage of a list until either of the two is mutated.
  package init<Object: AnyObject>(sharing list: [Object]) {
    // References to all classes have the same representation, so the elements need not be cast one by one.
    let objects = unsafe unsafeBitCast(list, to: [AnyObject].self)
    self.init(objects)
  }

  /// Whether all objects from an index on satisfy a condition. Calls the closure with one object after the other, and
  /// ends at the first that does not satisfy it.
  ///
  /// An object that is not in the processor's cache takes a tenth of a microsecond to read. So the loop does not retain
  /// the objects, which would make the processor wait for each of them, and it loads an object ahead into the cache.
  @inlinable
  package func allSatisfyUnretained<Object: AnyObject>(
    from start: Int = 0, as type: Object.Type, _ isSatisfied: (Object) throws -> Bool
  ) rethrows -> Bool {
    try withUnsafeBytes { bytes in
      let addresses = bytes.bindMemory(to: UnsafeRawPointer.self)
      for index in start..<addresses.count {
        if index + 8 < addresses.count { osd_prefetch(addresses[index + 8]) }
        let object = Unmanaged<Object>.fromOpaque(addresses[index])
        guard try object._withUnsafeGuaranteedRef(isSatisfied) else { return false }
      }
      return true
    }
  }

  /// Calls the closure with each object, as ``allSatisfyUnretained(from:as:_:)`` does.
  @inlinable
  package func forEachUnretained<Object: AnyObject>(
    as type: Object.Type, _ body: (Object) throws -> Void
  ) rethrows {
    _ = try allSatisfyUnretained(as: type) {
      try body($0)
      return true
    }
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

  /// The number of leading objects that both lists have in common.
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

  /// The number of trailing objects that both lists have in common. Their first `start` objects are not compared.
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
  /// Up to this many objects are searched in the list one by one, which is faster than hashing each list element.
  private static let few = 4

  /// Removes the objects of this set from a list.
  package func takeOut<Object: AnyObject>(of list: inout [Object]) {
    guard count <= Self.few else { return list.removeAll { contains($0) } }
    let found = list.withUnsafeBytes { indices(in: $0) }
    for index in found { list.remove(at: index) }
  }

  /// Removes the objects of this set from a list.
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

  /// The indices of the set's objects in a list of addresses, in descending order.
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

/// The members that a to-many relationship had when its list was last compared to find changes.
package struct ListMembers {
  package private(set) var objects: ContiguousArray<AnyObject>
  /// The identities of ``objects``, created by the first look-up.
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

/// The order of a to-many relationship, stored as numbers.
///
/// A list is sorted by the numbers of its models. The number of a model is its explicit position or, by default, its
/// primary key. If each new key is greater than all earlier keys, the default order is the order of the models' first
/// saves. A model that is moved gets an explicit position between the numbers of its neighbours. Any other model needs
/// an explicit position only if its key is less than the number of a model before it (decision 11).
package enum ListOrder {
  /// The number by which a model is sorted: its explicit position, or its key.
  package struct Position: Sendable, Hashable {
    package let key: Int64
    package let rank: Double

    package init(key: Int64, rank: Double) {
      self.key = key
      self.rank = rank
    }
  }

  /// Computes new positions, of as few models as possible, so that the models have a given order.
  ///
  /// - Parameters:
  ///   - members: The keys of the models in the new order, with their current positions.
  ///   - end: A key above all keys in use, so that models that are appended later sort behind these models. If new keys
  ///     may be less than earlier ones, pass ``end(of:)``.
  ///   - arrived: The keys of models that always get a new position, so that the other models can keep theirs.
  package static func moves(_ members: [Position], end: Int64, arrived: Set<Int64> = []) -> [Position] {
    let staying = longestRise(members, without: arrived)
    guard staying.count < members.count else { return [] }
    return moves(members, staying: staying, end: Double(end)) ?? renumbered(members, end: Double(end))
  }

  /// A number above all positions of a list, for an engine whose new keys may be less than earlier keys. A model that
  /// is appended later needs an explicit position unless its key is greater than this number.
  package static func end(of members: [Position]) -> Int64 {
    let last = members.reduce(0) { max($0, $1.rank) }
    return min(Int64(exactly: last.rounded(.up)) ?? EngineKeys.greatest, EngineKeys.greatest) + 1
  }

  /// Removes the positions with the key 0, whose models have no row. Keeps only the last position of each other key.
  package static func lastOfEachKey(_ positions: [Position]) -> [Position] {
    var known: Set<Int64> = [0]
    return positions.reversed().filter { known.insert($0.key).inserted }.reversed()
  }

  /// New positions for the models that are not in `staying`, evenly spaced between those in `staying`; nil if there is
  /// no `Double` between two neighbours.
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

  /// The indices of a longest increasing subsequence of the positions, whose models keep their positions.
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
  /// Sorted by position; models with equal positions are sorted by key.
  package var inOrder: [ListOrder.Position] { sorted { ($0.rank, $0.key) < ($1.rank, $1.key) } }
}

/// The changes of one to-many relationship of an object since the last save.
///
/// Exists while the object has unsaved changes. Used only on the object's thread or actor.
package final class ListChanges {
  package let position: Int
  /// Added objects that a save writes one by one, because a junction table stores the pairs or the list is not loaded.
  package private(set) var added = ObjectSet()
  /// Removed objects that a save writes one by one, for the same reasons as ``added``.
  package private(set) var removed = ObjectSet()
  /// Removed objects that the loaded list still contains. The next read removes all of them in one pass. Removing each
  /// one separately would take time proportional to the length of the list.
  package private(set) var stale = ObjectSet()
  /// The index from which the order may differ from the stored order; `Int.max` if no object has moved.
  package private(set) var firstMoved = Int.max
  /// The members before a change in place, in an array of their own. If it shared the list's storage, each change would
  /// copy the list.
  package var members: ListMembers?
  /// The number of changes at the end of the list since it was last compared completely with ``members``.
  package var uncomparedSteps = 0

  package init(position: Int) {
    self.position = position
  }

  /// Creates a copy of the changes, for a snapshot.
  package init(copying other: ListChanges) {
    position = other.position
    (added, removed, stale) = (other.added, other.removed, other.stale)
    (firstMoved, members, uncomparedSteps) = (other.firstMoved, other.members, other.uncomparedSteps)
  }

  package func noteAddition(of object: AnyObject) {
    // If a removed object is added again, it moves to the end. So `removed` keeps it, and a save writes both changes.
    added.insert(object)
  }

  package func noteRemoval(of object: AnyObject) {
    if !added.remove(object) { removed.insert(object) }
  }

  /// Discards ``members`` after the list was loaded again, unless the list must still be compared with them completely.
  package func forgetMembers() {
    if uncomparedSteps == 0 { members = nil }
  }

  /// Discards an addition, because the store already contains it.
  package func forgetAddition(of object: AnyObject) { added.remove(object) }

  /// Discards all removals, because the store already contains them.
  package func forgetRemovals() {
    let former = removed
    removed = ObjectSet()
    // The objects are released after the mutation: deinitialisers of removed objects may read the list.
    withExtendedLifetime(former) {}
  }

  /// Forgets the former members and order after the list was emptied.
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
    // Removing the object shifts the moved objects, so the first moved index is no longer known.
    if firstMoved != .max { firstMoved = 0 }
  }

  /// Returns the objects that the loaded list still contains although they were removed. The caller removes them.
  package func takeStale() -> ObjectSet {
    defer { stale = ObjectSet() }
    members?.remove(stale)
    return stale
  }
}

/// The difference between the old and the new members of a to-many relationship.
package struct ListReconciliation<Destination: AnyObject> {
  package private(set) var new: [Destination]
  /// The range of the old members between the common prefix and the common suffix.
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
  /// The new members between the common prefix and the common suffix.
  package var arrived: ContiguousArray<AnyObject> { ContiguousArray(new[newRange].lazy.map { $0 as AnyObject }) }
  /// True if members may have been reordered. Removing members alone does not reorder the others.
  package var mayHaveMoved: Bool { !newRange.isEmpty }

  /// Replaces each added object by the result of a closure. Removes the object if the result is nil.
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

  /// Removes repeated members, because a relationship contains each object at most once.
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

  /// Releases the array of old members. A later change in place then need not copy it.
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

// Detects changes at the end of a list without comparing the whole list. If each change compared the whole list,
// appending n objects one by one would take n² steps.

extension ListMembers {
  /// Lists up to this length are compared completely, which is as fast.
  private static let shortest = 256
  private static let samples = 16

  /// The length of the common prefix with another list, if the two differ only at their ends. Nil if the lists have to
  /// be compared completely.
  ///
  /// Compares some objects only. An insertion or removal before the end is detected, because it shifts the last object.
  package func commonStart<Destination: AnyObject>(with list: [Destination]) -> Int? {
    let limit = min(objects.count, list.count)
    guard limit > Self.shortest, objects.count != list.count, objects[limit - 1] === list[limit - 1] else { return nil }
    for index in stride(from: 0, to: limit, by: limit / Self.samples) where objects[index] !== list[index] {
      return nil
    }
    return limit
  }
}

/// Maps the keys of owners to their indices in a list; -1 for a key that is not in the list.
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
