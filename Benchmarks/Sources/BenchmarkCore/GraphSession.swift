/// An open database of parents and children, with one method for each workload. The release of the session closes the
/// database.
///
/// As in ``ContenderSession``, each method measures only the named operation, and all contenders must return the same
/// checksum.
public protocol GraphSession: AnyObject {
  /// Creates parents and children, relates them at both ends in memory, and saves all of them.
  func insert(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Finds each parent by its identifier, and then its children with one query for each parent.
  func toManyOneByOne(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int

  /// Loads all parents with their children in the contender's fastest way, and iterates over the children.
  func toManyForAll(_ stopwatch: Stopwatch) throws -> Int

  /// Fetches all parents and iterates over the children of each, like code that requests no prefetching.
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
  /// Reads one field of each child, as the work of a loop over children.
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
