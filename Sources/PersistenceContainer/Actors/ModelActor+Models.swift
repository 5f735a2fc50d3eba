// An actor that is a model and a model actor at once: both protocols give it a context under one name.

import PersistenceContext
import PersistenceRuntime

extension ModelActor where Self: PersistentModel {
  /// The context that the model belongs to; nil before it is inserted and after it is gone.
  ///
  /// In such an actor this one is meant. That of its executor, which is there from the beginning, is
  /// `modelExecutor.modelContext`.
  public var modelContext: ModelContext? { contextOfModel(self) }
}

/// The context of what is only known as a model: in the actor, `modelContext` is the property above.
private func contextOfModel<T: PersistentModel>(_ model: T) -> ModelContext? { model.modelContext }
