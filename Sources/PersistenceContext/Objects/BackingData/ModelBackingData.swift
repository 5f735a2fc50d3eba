import PersistenceRuntime
import PersistenceSupport

extension _PersistenceRuntime {
  /// The values of a model that `@Model` expanded, as backing data: a view of the model itself.
  public struct ModelBackingData<Model: PersistentModel>: KeyPathStorage {
    let model: Model

    public init(_ model: Model) {
      self.model = model
    }

    /// Makes the backing data of a new model.
    public init(for modelType: Model.Type) {
      model = Model(backingData: KeyPathBackingData(for: modelType))
    }

    /// Setting it does nothing: an identity is given by the context that the model is inserted into.
    public var persistentModelID: PersistentIdentifier? {
      get { model.persistentModelID }
      set { _ = newValue }
    }

    public var metadata: Any { Model.schemaMetadata }

    package func value<Value>(at keyPath: KeyPath<Model, Value>) -> Value { model[keyPath: keyPath] }

    package func set<Value>(_ value: Value, at keyPath: KeyPath<Model, Value>) {
      if let keyPath = keyPath as? ReferenceWritableKeyPath<Model, Value> {
        model[keyPath: keyPath] = value
      } else {
        model._$set(value, at: keyPath)
      }
    }
  }
}
