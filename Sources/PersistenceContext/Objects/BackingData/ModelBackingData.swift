import PersistenceRuntime
import PersistenceSupport

extension _PersistenceRuntime {
  /// Backing data as a view of a model that `@Model` expanded.
  public struct ModelBackingData<Model: PersistentModel>: KeyPathStorage {
    let model: Model

    /// Creates the view of a model. For generated code.
    public init(_ model: Model) {
      self.model = model
    }

    /// Creates the backing data of a new model.
    public init(for modelType: Model.Type) {
      model = Model(backingData: KeyPathBackingData(for: modelType))
    }

    /// Setting it has no effect: the context assigns identifiers.
    public var persistentModelID: PersistentIdentifier? {
      get { model.persistentModelID }
      set { _ = newValue }
    }

    /// The properties of the model's type.
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
