import PersistenceRuntime

extension PersistentModel {
  /// The context that the model belongs to; nil before it is inserted and after it is gone.
  public var modelContext: ModelContext? {
    let state = _$state
    return state.pointee.flags.contains(.gone) ? nil : state.pointee.identityMap?.context
  }
}

/// What isolated models have in the place of ``PersistentModel/modelContext``, which could be used from anywhere.
public func _$modelContext<T: PersistentModel>(of model: T) -> ModelContext? { model.modelContext }
