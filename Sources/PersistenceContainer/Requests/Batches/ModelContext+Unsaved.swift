import PersistenceContext
import PersistenceRuntime

extension ModelContext {
  /// Whether the store will say something else about an entity, or one that inherits from it, when this context has
  /// saved.
  ///
  /// Other than `hasPending` it is not true of what was changed and taken back.
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
