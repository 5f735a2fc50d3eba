// An actor that is a model and a model actor at once: both protocols declare `modelContext`.

import PersistenceContext
import PersistenceRuntime

extension ModelActor where Self: PersistentModel {
  /// The context of the actor as a model; nil before it is inserted and after it is deleted. Ours.
  ///
  /// The context of the actor's executor is `modelExecutor.modelContext`.
  public var modelContext: ModelContext? { contextOfModel(self) }
}

/// The model's context. In the extension above, `modelContext` would call itself.
private func contextOfModel<T: PersistentModel>(_ model: T) -> ModelContext? { model.modelContext }
