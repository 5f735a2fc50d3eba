import PersistenceRuntime
import PersistenceSupport

// A save may write references to rows that others have deleted. A context knows the referrers of its own deletions; for
// those of others, the store reports broken references.

extension ConflictResolution {
  /// Clears references to rows that others deleted, as the store does for references that it knows.
  ///
  /// Called after all rows of a save are written, if references are broken.
  /// - Throws: `SwiftDataError.modelValidationFailure` if this context broke a reference itself, or a required one is
  ///   broken; `.conflictingChanges` by the policy.
  func mendReferences(
    of entities: [SavedChanges.SavedEntity], to store: StoreCoordinator, in transaction: any StoreTransaction,
    policy: ModelContext.ConflictPolicy
  ) throws {
    let references = entities.flatMap { $0.pendingReferences() }
    let broken = try references.filter(isBroken(among: references, in: transaction))
    try SaveValidation.refuse(broken.filter { $0.isDeletedHere && $0.relationship.isKeptByStore }.map(\.ownViolation))
    let brokenByOthers = broken.filter { !$0.isDeletedHere }
    if policy != .throwError {
      try SaveValidation.refuse(brokenByOthers.filter(\.relationship.isRequired).map(\.violation))
    }
    try noteBroken(brokenByOthers, policy: policy)
    let own = lost.filter { $0.map.store === store }
    for lost in Dictionary(grouping: own, by: { ObjectIdentifier($0.map) }).values {
      try drop(lost.map { $0.object._$state.pointee.primaryKey }, of: lost[0].map.entity, in: store, transaction)
    }
  }

  /// Removes what refers to missing rows of an entity, and their pairs.
  private func drop(
    _ keys: [Int64], of entity: EntityLayout, in store: StoreCoordinator, _ transaction: any StoreTransaction
  ) throws {
    let leading = store.relationships(to: entity).filter { $0.1.isKeptByStore }
    if !leading.isEmpty { try transaction.dropReferences(leading, to: keys) }
    let pairs = entity.relationships.filter(\.hasPairs).map { (entity, $0) }
    if !pairs.isEmpty { try transaction.dropPairs(pairs, of: keys) }
  }

  /// A function that tells which references have no target row, after one query for each table.
  private func isBroken(
    among references: [PendingReference], in transaction: any StoreTransaction
  ) throws -> (PendingReference) -> Bool {
    var found: [ObjectIdentifier: Set<Int64>] = [:]
    for (root, targets) in Dictionary(grouping: references, by: { ObjectIdentifier($0.targetMap.rootMap) }) {
      guard let map = targets.first?.targetMap.rootMap else { continue }
      let request = FetchRequest(entity: map.entity, selection: .keys(Array(Set(targets.map(\.targetKey)))))
      found[root] = Set(try map.store.engine.keys(request, in: transaction))
    }
    return { found[ObjectIdentifier($0.targetMap.rootMap)]?.contains($0.targetKey) == false }
  }
}

extension RelationshipLayout {
  fileprivate var hasPairs: Bool {
    if case .links = storage { return true }
    return false
  }

  /// Whether a foreign key of the store protects the relationship.
  fileprivate var isKeptByStore: Bool { hasPairs || storage == .column && inverseDeleteRule != .noAction }
}
