/// New objects that a save gave to rows of which the context has an object already.
///
/// Such an object stands for the row too, but is not the one that is registered, so that nobody finds it by its key: what
/// happens to the row it has to be told here. Confined to the context, like the lists of changes.
struct SecondInstances {
  private struct Reference {
    weak var object: AnyObject?
  }

  private var references: [Int64: [Reference]] = [:]
  /// How many there may be before those of objects that are gone are forgotten.
  private var limit = 64

  var isEmpty: Bool { references.isEmpty }

  mutating func add(_ object: AnyObject, key: Int64) {
    if references.count >= limit {
      references = references.mapValues { $0.filter { $0.object != nil } }.filter { !$0.value.isEmpty }
      limit = max(64, 2 * references.count)
    }
    references[key, default: []].append(Reference(object: object))
  }

  /// The objects of a row that live.
  func objects(for key: Int64) -> [AnyObject] { references[key]?.compactMap(\.object) ?? [] }

  /// All that live.
  var objects: [AnyObject] { references.values.flatMap { $0.compactMap(\.object) } }
}

extension IdentityMap {
  /// The objects that stand for the row of one besides it: the registered one, and second ones.
  func otherObjects(ofRowOf object: AnyObject, key: Int64) -> [AnyObject] {
    guard !seconds.isEmpty else { return [] }
    let registered = self.object(for: key).map { [$0] } ?? []
    return (seconds.objects(for: key) + registered).filter { $0 !== object }
  }
}
