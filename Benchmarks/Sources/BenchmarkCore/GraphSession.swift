/// An open database of parents and children, closed when the session is released, and one method for each workload.
///
/// As in ``ContenderSession``, only the named operation is measured, and all contenders must have the same checksum.
public protocol GraphSession: AnyObject {
  /// Relates children to their parents in memory, on both sides, and saves all.
  func insert(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Finds each parent by its identifier, and then its children: a query for each parent.
  func toManyOneByOne(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Loads all parents with their children, in the fastest way, and iterates over them.
  func toManyForAll(_ stopwatch: Stopwatch) throws -> Int

  /// Iterates over all children of all parents, as code does that declares no prefetching.
  func toManyTraversal(_ stopwatch: Stopwatch) throws -> Int

  /// Deletes half the parents with their children.
  func delete(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int
}

/// A child, in a contender's own class.
public protocol ChildFields {
  var name: String { get }
  var number: Int { get }
}

extension Checksum {
  /// The work of a loop over children: it reads a field of each.
  @inlinable @inline(__always)
  public static func ofNumbers(_ children: some Sequence<some ChildFields>) -> Int {
    children.reduce(0) { $0 &+ $1.number }
  }

  /// The checksum of a parent with its children, in any order.
  public static func ofParent(_ name: String, _ children: some Sequence<some ChildFields>) -> Int {
    let parent = bits(of: name)
    let sum = children.reduce(0 as UInt64) { $0 &+ bits(of: $1.name) &* UInt64(2 &* $1.number &+ 1) }
    return Int(truncatingIfNeeded: parent &* (sum | 1) &+ sum)
  }

  private static func bits(of text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
