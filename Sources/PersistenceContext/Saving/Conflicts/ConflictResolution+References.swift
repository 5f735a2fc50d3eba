import PersistenceRuntime
import PersistenceSupport

// A save may refer to rows that others have deleted. Of its own deletions a context knows what led to them; of those of
// others the store finds out that a reference leads nowhere, without being asked.

extension ConflictResolution {
  /// Empties what leads to rows that others deleted, as the store would have done had it been there before.
  ///
  /// Called when a save has written everything and references are broken.
  /// - Throws: `SwiftDataError.modelValidationFailure` when the context broke a reference itself or one must lead
  ///   somewhere, `.conflictingChanges` when the policy says so.
  func mendReferences(
    of entities: [SavedChanges.SavedEntity], to store: StoreCoordinator, in transaction: any StoreTransaction,
    policy: ModelContext.ConflictPolicy
  ) throws {
    let references = entities.flatMap { $0.pendingReferences() }
    let broken = try references.filter(isBroken(among: references, in: transaction))
    try refuse(broken.filter { $0.isDeletedHere && $0.relationship.isKeptByStore }.map(\.ownViolation))
    let brokenByOthers = broken.filter { !$0.isDeletedHere }
    if policy != .throwError { try refuse(brokenByOthers.filter(\.relationship.isRequired).map(\.violation)) }
    try noteBroken(brokenByOthers, policy: policy)
    for (object, map) in lost where map.store === store {
      let key = object._$state.pointee.primaryKey
      let leading = store.relationships(to: map.entity).filter { $0.1.isKeptByStore }
      try transaction.dropReferences(leading, to: key)
      try transaction.dropPairs(map.entity.relationships.filter(\.hasPairs).map { (map.entity, $0) }, of: key)
    }
  }

  /// Tells which of some references lead to rows that are not there, with one query for each table.
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

  private func refuse(_ violations: [String]) throws {
    guard let first = violations.first else { return }
    let text = violations.count == 1 ? first : "\(violations.count) violations:\n" + violations.joined(separator: "\n")
    throw SwiftDataError(.modelValidationFailure, text)
  }
}

extension RelationshipLayout {
  fileprivate var hasPairs: Bool {
    if case .links = storage { return true }
    return false
  }

  /// Whether the store sees to it that the relationship leads to rows, where it is written.
  fileprivate var isKeptByStore: Bool { hasPairs || storage == .column && inverseDeleteRule != .noAction }
}
