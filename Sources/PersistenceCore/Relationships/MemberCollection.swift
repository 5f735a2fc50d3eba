/// The objects that a query of members finds, each under the object that holds it.
@usableFromInline
package final class MemberCollection {
  @usableFromInline let ownerColumn: Int32
  /// The keys of the objects whose relationships are read.
  let owners: [Int64]
  private(set) var lists: ContiguousArray<ContiguousArray<AnyObject>>
  private let places: OwnerPlaces
  /// Where the objects stand that do not stand where their keys put them.
  private(set) var positions: [Int64: Double] = [:]
  private var lastKeys: ContiguousArray<Int64>
  /// The lists whose objects do not come in the order of their keys.
  private(set) var scattered: Set<Int> = []
  private let isOrderedByStore: Bool

  init(owners: [Int64], ownerColumn: Int32, isOrderedByStore: Bool) {
    self.owners = owners
    self.ownerColumn = ownerColumn
    self.isOrderedByStore = isOrderedByStore
    places = OwnerPlaces(owners)
    lists = ContiguousArray(repeating: [], count: owners.count)
    lastKeys = ContiguousArray(repeating: .min, count: isOrderedByStore ? 0 : owners.count)
  }

  /// The list of an object; below 0 when it is not asked about.
  @usableFromInline
  func place(of owner: Int64) -> Int { places[owner] }

  @usableFromInline
  func append(_ object: AnyObject, key: Int64, at place: Int) {
    lists[place].append(object)
    guard !isOrderedByStore else { return }
    if key < lastKeys[place] { scattered.insert(place) }
    lastKeys[place] = key
  }

  @usableFromInline
  func note(position: Double, of key: Int64, at place: Int) {
    positions[key] = position
    scattered.insert(place)
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
