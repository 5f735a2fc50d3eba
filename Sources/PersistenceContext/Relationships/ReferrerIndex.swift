import PersistenceRuntime

/// The referrers of each object by one-way relationships, during many deletions in a row.
///
/// Without the index each deletion searches all objects, so n deletions take n² steps. It is created after a few
/// searches and is valid until references may have changed. References of rows that are read meanwhile are added.
///
/// Functions that drop the index return it to the caller. It may hold the last references to new objects, whose
/// deinitialisers may run code that deletes and inserts, which must not happen during a mutation of the index.
struct ReferrerIndex {
  /// A referrer. It retains the object only if that waits for its insertion.
  struct Referrer {
    /// The map of the object's class. The row may become one of another class, without the relationship.
    let map: IdentityMap
    let relationship: RelationshipLayout
    let key: Int64
    let inserted: (any PersistentModel)?

    /// The objects of the row that are still alive.
    var objects: [any PersistentModel] { inserted.map { [$0] } ?? map.objects(ofRow: key) }
  }

  typealias Referrers = [ObjectIdentifier: ContiguousArray<Referrer>]

  /// The number of searches before an index is created.
  private static let fewSearches = 4

  private var searches = 0
  /// The index, by the identity of the target. Former referrers may still be in it.
  private var referrers: Referrers?
  /// The number of references and objects in the index.
  private var size = 0
  /// The size at which a new search is as fast as an update.
  private var limit = 0
  /// The rows that were read since, and their number.
  private var reads: [Read] = []
  private var readCount = 0
  /// The number of running reads, whose rows are not known yet.
  private var openReads = 0

  /// Whether there is an index, which needs to know of reads.
  var isKept: Bool { referrers != nil }

  /// The index, if it is complete.
  var current: Referrers? { openReads == 0 && reads.isEmpty ? referrers : nil }

  /// Notes a search; true if an index should be created.
  mutating func noteSearch() -> Bool {
    searches += 1
    return searches >= Self.fewSearches && openReads == 0
  }

  /// - Parameter size: The number of references and objects.
  @discardableResult
  mutating func keep(_ referrers: Referrers, size: Int) -> Referrers? {
    let former = forgetIndex()
    self.referrers = referrers
    self.size = size
    limit = 2 * size + 1_024
    return former
  }

  // MARK: Reads

  typealias Read = (map: IdentityMap, keys: [Int64])

  mutating func beginRead() { openReads += 1 }

  /// - Parameters:
  ///   - map: The map of the rows.
  ///   - isComplete: Whether the keys of all rows that became objects are known.
  ///   - keys: Those keys.
  @discardableResult
  mutating func endRead(of map: IdentityMap, isComplete: Bool, keys: @autoclosure () -> [Int64]) -> Referrers? {
    openReads -= 1
    return isComplete ? note(keys(), of: map) : forget()
  }

  /// Notes that objects of some rows may have new references.
  @discardableResult
  mutating func note(_ keys: @autoclosure () -> [Int64], of map: IdentityMap) -> Referrers? {
    guard isKept, map.entity.refersOneWayInFamily else { return nil }
    // Hand-written models do not report later changes of references.
    guard map.entity.family.allSatisfy({ $0.modelType._$isGenerated }) else { return forget() }
    let keys = keys()
    readCount += keys.count
    guard readCount <= limit else { return forgetIndex() }
    if !keys.isEmpty { reads.append((map, keys)) }
    return nil
  }

  /// Removes the index, to be returned with the references of rows that were read since; nil if there are none.
  mutating func takeReads() -> (referrers: Referrers, reads: [Read])? {
    guard openReads == 0, !reads.isEmpty, let known = referrers else { return nil }
    defer { (referrers, reads) = (nil, []) }
    return (known, reads)
  }

  @discardableResult
  mutating func putBack(_ referrers: Referrers, growth: Int) -> Referrers? {
    size += growth
    guard size <= limit else { return forgetIndex() }
    self.referrers = referrers
    return nil
  }

  private mutating func forgetIndex() -> Referrers? {
    let former = referrers
    (referrers, reads, readCount) = (nil, [], 0)
    return former
  }

  /// Drops the index, because references may change from now on.
  @discardableResult
  mutating func forget() -> Referrers? {
    guard searches > 0 else { return nil }
    searches = 0
    return forgetIndex()
  }
}
