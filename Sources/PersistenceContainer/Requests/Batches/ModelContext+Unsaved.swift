import PersistenceContext
import PersistenceRuntime

extension ModelContext {
  /// Whether the next save changes rows of an entity, or of one that inherits from it.
  ///
  /// Unlike `hasPending` it ignores changes that were taken back.
  package func isChanged(_ map: IdentityMap) -> Bool {
    hasChanges && hasPending(map) && (!map.batchDeletedKeys.isEmpty || family(of: map).contains(where: \.isChanged))
  }

  func isChanged(_ types: [any PersistentModel.Type]) -> Bool {
    types.contains { type in entityChanges[ObjectIdentifier(type)].map { isChanged($0.map) } ?? false }
  }
}

extension EntityChanges {
  fileprivate var isChanged: Bool { !livingInserted.isEmpty || !livingChanged.isEmpty || !livingDeleted.isEmpty }
}
