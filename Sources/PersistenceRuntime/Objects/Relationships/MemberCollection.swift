/// The objects that a relationship query returns, grouped by owner.
///
/// Rows come in any order of owners, so they are collected sequentially and grouped by a counting sort at the end:
/// appending to a thousand lists in turn would miss the cache each time. The objects of a single owner are appended
/// directly.
@usableFromInline
package final class MemberCollection {
  /// The column of the owner's key; nil if there is a single owner.
  private let ownerColumn: Int32?
  @usableFromInline let positionColumn: Int32
  private let owners: OwnerIndices
  /// The owners of the relationship, and the position of the members' inverse property.
  private let ownerObjects: ContiguousArray<AnyObject>
  @usableFromInline let ownerPosition: Int
  // Unmanaged, so that moving references into their lists counts none.

  /// The objects of a single owner.
  @exclusivity(unchecked) private var list: ContiguousArray<Unmanaged<AnyObject>> = []
  /// The objects of several owners, with the index of each owner.
  @exclusivity(unchecked) private var members: ContiguousArray<(object: Unmanaged<AnyObject>, ownerIndex: Int)> = []
  /// The index of the current row's owner.
  @exclusivity(unchecked) private var ownerIndex = 0
  /// The explicit positions of objects that are not ordered by key.
  package private(set) var positions: [Int64: Double] = [:]
  @exclusivity(unchecked) private var lastKeys: ContiguousArray<Int64>
  /// The indices of lists whose objects are not in the order of their keys.
  package private(set) var scattered: Set<Int> = []
  private let isOrderedByStore: Bool
  private let hasOneOwner: Bool

  /// - Parameter ownerPosition: The position of the members' inverse property; nil if there is none.
  package init(
    owners: [Int64], objects: ContiguousArray<AnyObject>, ownerPosition: Int?,
    columns: (owner: Int32?, position: Int32), isOrderedByStore: Bool
  ) {
    (ownerColumn, positionColumn) = columns
    self.ownerPosition = ownerPosition ?? -1
    self.isOrderedByStore = isOrderedByStore
    self.owners = OwnerIndices(columns.owner == nil ? [] : owners)
    ownerObjects = objects
    hasOneOwner = objects.count == 1
    lastKeys = ContiguousArray(repeating: .min, count: isOrderedByStore ? 0 : owners.count)
  }

  deinit {
    for object in list { object.release() }
    for member in members { member.object.release() }
  }

  /// The single owner of all rows, whose key the rows do not contain.
  @usableFromInline
  var onlyOwner: Unmanaged<AnyObject>? {
    ownerColumn == nil ? ownerObjects.first.map { .passUnretained($0) } : nil
  }

  /// Starts a row and returns its owner; nil if the owner is not requested.
  @usableFromInline
  package func begin(_ reader: RowReader) -> Unmanaged<AnyObject>? {
    if let ownerColumn { ownerIndex = owners[reader.integer(at: ownerColumn)] }
    return ownerIndex < 0 ? nil : .passUnretained(ownerObjects[ownerIndex])
  }

  /// Adds the object of the row, consuming a reference.
  @usableFromInline
  func append(_ object: Unmanaged<AnyObject>, key: Int64) {
    if hasOneOwner { list.append(object) } else { members.append((object, ownerIndex)) }
    guard !isOrderedByStore else { return }
    if key < lastKeys[ownerIndex] { scattered.insert(ownerIndex) }
    lastKeys[ownerIndex] = key
  }

  @usableFromInline
  func note(position: Double, of key: Int64) {
    positions[key] = position
    scattered.insert(ownerIndex)
  }

  /// Returns the objects of each owner in row order, and removes them.
  package func takeLists() -> ContiguousArray<ContiguousArray<AnyObject>> {
    if hasOneOwner {
      defer { list = [] }
      return [list.withUnsafeMutableBufferPointer { Self.list(of: $0[...]) }]
    }
    var ends = ContiguousArray<Int>(repeating: 0, count: ownerObjects.count)
    for member in members { ends[member.ownerIndex] += 1 }
    var end = 0
    for ownerIndex in ends.indices {
      end += ends[ownerIndex]
      ends[ownerIndex] = end
    }
    return withUnsafeTemporaryAllocation(of: Unmanaged<AnyObject>.self, capacity: end) { sorted in
      var starts = ends
      for member in members.reversed() {
        starts[member.ownerIndex] -= 1
        sorted[starts[member.ownerIndex]] = member.object
      }
      members.removeAll()
      return ContiguousArray(zip(starts, ends).map { start, end in Self.list(of: sorted[start..<end]) })
    }
  }

  /// Creates a list that consumes the references.
  private static func list(
    of objects: Slice<UnsafeMutableBufferPointer<Unmanaged<AnyObject>>>
  ) -> ContiguousArray<AnyObject> {
    ContiguousArray(unsafeUninitializedCapacity: objects.count) { list, count in
      count = objects.count
      // An unmanaged reference has the representation of a strong one.
      UnsafeMutableRawBufferPointer(list).copyMemory(
        from: UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: objects)))
    }
  }
}

/// Maps owner keys to indices.
private struct OwnerIndices {
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
    for (ownerIndex, key) in keys.enumerated() { dense[Int(key - least)] = Int32(ownerIndex) }
  }

  subscript(key: Int64) -> Int {
    guard !dense.isEmpty else { return sparse[key] ?? -1 }
    let (offset, isTooLarge) = key.subtractingReportingOverflow(first)
    guard !isTooLarge, offset >= 0, offset < Int64(dense.count) else { return -1 }
    return Int(dense[Int(offset)])
  }
}
