/// The objects that a query of members finds, each under the object that holds it.
///
/// Rows come in any order of owners, so they are only noted while they are read, one after the other, and sorted into
/// lists at the end: appending to a thousand lists in turn would wait for memory each time. The objects of one owner are
/// a list as they come.
@usableFromInline
package final class MemberCollection {
  /// The column that has the owner's key; nil when every row is the only owner's.
  private let ownerColumn: Int32?
  @usableFromInline let positionColumn: Int32
  private let owners: OwnerPlaces
  /// The objects whose relationships are read, and where the members have them.
  private let ownerObjects: ContiguousArray<AnyObject>
  @usableFromInline let ownerPosition: Int
  // Held by hand, so that moving them into their lists does not touch each of them again.

  /// The only owner's objects.
  @exclusivity(unchecked) private var list: ContiguousArray<Unmanaged<AnyObject>> = []
  /// The objects of several owners, with the place of each owner.
  @exclusivity(unchecked) private var members: ContiguousArray<(object: Unmanaged<AnyObject>, place: Int)> = []
  /// The list that the row belongs to.
  @exclusivity(unchecked) private var place = 0
  /// Where the objects stand that do not stand where their keys put them.
  package private(set) var positions: [Int64: Double] = [:]
  @exclusivity(unchecked) private var lastKeys: ContiguousArray<Int64>
  /// The lists whose objects do not come in the order of their keys.
  package private(set) var scattered: Set<Int> = []
  private let isOrderedByStore: Bool
  private let hasOneOwner: Bool

  /// - Parameter ownerPosition: The position of the members' property that has the owner; nil where none has.
  package init(
    owners: [Int64], objects: ContiguousArray<AnyObject>, ownerPosition: Int?,
    columns: (owner: Int32?, position: Int32), isOrderedByStore: Bool
  ) {
    (ownerColumn, positionColumn) = columns
    self.ownerPosition = ownerPosition ?? -1
    self.isOrderedByStore = isOrderedByStore
    self.owners = OwnerPlaces(columns.owner == nil ? [] : owners)
    ownerObjects = objects
    hasOneOwner = objects.count == 1
    lastKeys = ContiguousArray(repeating: .min, count: isOrderedByStore ? 0 : owners.count)
  }

  deinit {
    for object in list { object.release() }
    for member in members { member.object.release() }
  }

  /// The owner of every row, when there is but one, which the rows do not tell.
  @usableFromInline
  var onlyOwner: Unmanaged<AnyObject>? {
    ownerColumn == nil ? ownerObjects.first.map { .passUnretained($0) } : nil
  }

  /// Begins with a row of an owner; nil when that is not asked about.
  @usableFromInline
  package func begin(_ reader: RowReader) -> Unmanaged<AnyObject>? {
    if let ownerColumn { place = owners[reader.integer(at: ownerColumn)] }
    return place < 0 ? nil : .passUnretained(ownerObjects[place])
  }

  /// Takes over the object of the row, with the reference that is counted for it.
  @usableFromInline
  func append(_ object: Unmanaged<AnyObject>, key: Int64) {
    if hasOneOwner { list.append(object) } else { members.append((object, place)) }
    guard !isOrderedByStore else { return }
    if key < lastKeys[place] { scattered.insert(place) }
    lastKeys[place] = key
  }

  @usableFromInline
  func note(position: Double, of key: Int64) {
    positions[key] = position
    scattered.insert(place)
  }

  /// The objects of each owner, in the order in which they came; they are handed over.
  package func takeLists() -> ContiguousArray<ContiguousArray<AnyObject>> {
    if hasOneOwner {
      defer { list = [] }
      return [list.withUnsafeMutableBufferPointer { Self.list(of: $0[...]) }]
    }
    var ends = ContiguousArray<Int>(repeating: 0, count: ownerObjects.count)
    for member in members { ends[member.place] += 1 }
    var end = 0
    for place in ends.indices {
      end += ends[place]
      ends[place] = end
    }
    return withUnsafeTemporaryAllocation(of: Unmanaged<AnyObject>.self, capacity: end) { sorted in
      var starts = ends
      for member in members.reversed() {
        starts[member.place] -= 1
        sorted[starts[member.place]] = member.object
      }
      members.removeAll()
      return ContiguousArray(zip(starts, ends).map { start, end in Self.list(of: sorted[start..<end]) })
    }
  }

  /// A list that takes over what it is made of.
  private static func list(
    of objects: Slice<UnsafeMutableBufferPointer<Unmanaged<AnyObject>>>
  ) -> ContiguousArray<AnyObject> {
    ContiguousArray(unsafeUninitializedCapacity: objects.count) { list, count in
      count = objects.count
      // A reference that is held by hand is the same in memory as one that is counted.
      UnsafeMutableRawBufferPointer(list).copyMemory(
        from: UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: objects)))
    }
  }
}

/// Finds the place of a key in a list of keys.
private struct OwnerPlaces {
  private var first: Int64 = 0
  private var dense: ContiguousArray<Int32> = []
  private var sparse: [Int64: Int] = [:]

  init(_ keys: [Int64]) {
    guard let least = keys.min(), let greatest = keys.max() else { return }
    let (span, isTooLarge) = greatest.subtractingReportingOverflow(least)
    guard !isTooLarge, span < Int64(keys.count) * 8 + 1_024 else {
      sparse = Dictionary(keys.enumerated().map { ($1, $0) }) { first, _ in first }
      return
    }
    first = least
    dense = ContiguousArray(repeating: -1, count: Int(span) + 1)
    for (place, key) in keys.enumerated() { dense[Int(key - least)] = Int32(place) }
  }

  subscript(key: Int64) -> Int {
    guard !dense.isEmpty else { return sparse[key] ?? -1 }
    let (offset, isTooLarge) = key.subtractingReportingOverflow(first)
    guard !isTooLarge, offset >= 0, offset < Int64(dense.count) else { return -1 }
    return Int(dense[Int(offset)])
  }
}
