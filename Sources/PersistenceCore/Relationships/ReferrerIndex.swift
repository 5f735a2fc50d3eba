/// What refers to each object by relationships that nothing leads back from, while many objects are deleted in turn.
///
/// Without it, each deletion looks through all objects, which for many costs the square of how many there are.
/// After a few of them it is noted once, and holds until something may have come to refer to something else.
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
  private(set) var referrers: Referrers?

  /// Notes a search through all objects; true when the next one is to find an index.
  mutating func noteSearch() -> Bool {
    searches += 1
    return searches >= Self.fewSearches
  }

  mutating func keep(_ referrers: Referrers) { self.referrers = referrers }

  /// Begins anew: something may refer to something else from now on.
  mutating func forget() {
    guard searches > 0 else { return }
    searches = 0
    referrers = nil
  }
}
