import PersistenceRuntime
import PersistenceSupport

extension PersistentModel {
  /// The context of the model; nil before it is inserted and after it is deleted. Apple's.
  public var modelContext: ModelContext? {
    let state = _$state
    return state.pointee.flags.contains(.gone) ? nil : state.pointee.identityMap?.context
  }
}

extension _PersistenceRuntime {
  /// The context of a model, for the isolated property that replaces ``PersistentModel/modelContext`` in isolated
  /// models.
  public static func _$modelContext<T: PersistentModel>(of model: T) -> ModelContext? { model.modelContext }
}
