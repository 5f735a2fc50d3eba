/// What a context does not know yet: rows that others changed or deleted, by the types of their models.
struct ChangeNews: Sendable {
  /// The rows of one entity.
  struct Rows: Sendable {
    var changed: Set<Int64> = []
    var deleted: Set<Int64> = []
    /// Whether any row may have changed.
    var meansAll = false

    var isEmpty: Bool { changed.isEmpty && deleted.isEmpty && !meansAll }

    /// A context that never looks must not keep a key for every row that others ever saved.
    private static let limit = 10_000

    mutating func merge(_ other: Rows) {
      meansAll = meansAll || other.meansAll || changed.count + deleted.count > Self.limit
      if meansAll {
        changed = []
        deleted = []
      } else {
        changed.formUnion(other.changed)
        deleted.formUnion(other.deleted)
      }
    }
  }

  var rows: [ObjectIdentifier: Rows] = [:]
  /// Whether any row of any entity may have changed.
  var meansAll = false
  /// How far whoever takes this in knows each store then.
  var reaches: [ObjectIdentifier: StoreReach] = [:]

  init(meansAll: Bool = false) { self.meansAll = meansAll }

  init(_ rows: Rows, of type: any PersistentModel.Type) { add(rows, of: type) }

  var isEmpty: Bool { rows.isEmpty && !meansAll && reaches.isEmpty }

  /// Nobody can say what was saved.
  static let unknown = ChangeNews(meansAll: true)

  mutating func merge(_ other: ChangeNews) {
    meansAll = meansAll || other.meansAll
    for (store, reach) in other.reaches { reaches[store, default: StoreReach()].formUnion(reach) }
    guard !meansAll else {
      rows = [:]
      return
    }
    rows.merge(other.rows) { mine, theirs in
      var mine = mine
      mine.merge(theirs)
      return mine
    }
  }

  mutating func add(_ new: Rows, of type: any PersistentModel.Type) {
    guard !new.isEmpty else { return }
    rows[ObjectIdentifier(type), default: Rows()].merge(new)
  }

  /// Says that this is all there is to know of a commit.
  mutating func note(commit number: Int64, to store: StoreCoordinator) {
    reaches[ObjectIdentifier(store), default: StoreReach()].commits.insert(number)
  }
}
