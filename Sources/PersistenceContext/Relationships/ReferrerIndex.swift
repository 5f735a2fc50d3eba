import PersistenceRuntime

/// What refers to each object by relationships that nothing leads back from, while many objects are deleted in turn.
///
/// Without it, each deletion looks through all objects, which for many costs the square of how many there are.
/// After a few of them it is noted once, and holds until something may have come to refer to something else. Rows that
/// are read are added to it: deletions read what their rules concern, and programs read what they delete.
///
/// What forgets the index hands it over. It may be the last to hold new objects, whose end may run code that deletes
/// and inserts: that must not come in the middle of a change of the index.
struct ReferrerIndex {
  /// An object that refers to others, which is not kept from going unless it waits to be inserted.
  struct Referrer {
    /// The map of the object's own class: what the row becomes later may be of another, without the relationship.
    let map: IdentityMap
    let relationship: RelationshipLayout
    let key: Int64
    let inserted: (any PersistentModel)?

    /// The object, if it is still there, and the others of its row.
    var objects: [any PersistentModel] { inserted.map { [$0] } ?? map.objects(ofRow: key) }
  }

  typealias Referrers = [ObjectIdentifier: ContiguousArray<Referrer>]

  /// So many deletions look through all objects before those that follow are worth an index.
  private static let fewSearches = 4

  private var searches = 0
  /// The index, by the identity of what is referred to. An object that has let go since is still in it.
  private var referrers: Referrers?
  /// How much was looked at for the index.
  private var size = 0
  /// How much may be looked at before another look at everything takes no longer.
  private var limit = 0
  /// Rows that were read since, and how many.
  private var reads: [Read] = []
  private var readCount = 0
  /// Reads that go on: what their rows have become by now is not known.
  private var openReads = 0

  /// Whether there is an index, which has to be told what is read.
  var isKept: Bool { referrers != nil }

  /// The index, if it says all.
  var current: Referrers? { openReads == 0 && reads.isEmpty ? referrers : nil }

  /// Notes a search through all objects; true when the next one is to find an index.
  mutating func noteSearch() -> Bool {
    searches += 1
    return searches >= Self.fewSearches && openReads == 0
  }

  /// - Parameter size: How much was looked at.
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
  ///   - isComplete: Whether the rows are known that have become objects, which are to be looked at.
  ///   - keys: The keys of those.
  @discardableResult
  mutating func endRead(of map: IdentityMap, isComplete: Bool, keys: @autoclosure () -> [Int64]) -> Referrers? {
    openReads -= 1
    return isComplete ? note(keys(), of: map) : forget()
  }

  /// Notes that objects of some rows may refer to something else now.
  @discardableResult
  mutating func note(_ keys: @autoclosure () -> [Int64], of map: IdentityMap) -> Referrers? {
    guard isKept, map.entity.refersOneWayInFamily else { return nil }
    // Those that are written by hand do not say what they come to refer to later.
    guard map.entity.family.allSatisfy({ $0.modelType._$isGenerated }) else { return forget() }
    let keys = keys()
    readCount += keys.count
    guard readCount <= limit else { return forgetIndex() }
    if !keys.isEmpty { reads.append((map, keys)) }
    return nil
  }

  /// Hands over the index, to be put back with what was read since; nil when nothing was read.
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

  /// Begins anew: something may refer to something else from now on.
  @discardableResult
  mutating func forget() -> Referrers? {
    guard searches > 0 else { return nil }
    searches = 0
    return forgetIndex()
  }
}
