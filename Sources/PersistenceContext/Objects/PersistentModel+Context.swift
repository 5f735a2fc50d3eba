import PersistenceRuntime
import PersistenceSupport

extension PersistentModel {
  /// The context that the model belongs to; nil before it is inserted and after it is gone.
  public var modelContext: ModelContext? {
    let state = _$state
    return state.pointee.flags.contains(.gone) ? nil : state.pointee.identityMap?.context
  }
}

extension _PersistenceRuntime {
  /// What isolated models have in the place of ``PersistentModel/modelContext``, which could be used from anywhere.
  public static func _$modelContext<T: PersistentModel>(of model: T) -> ModelContext? { model.modelContext }
}
