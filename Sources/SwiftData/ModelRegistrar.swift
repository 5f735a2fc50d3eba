import Observation
import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

extension _PersistenceRuntime {
  /// The type of `_$observationRegistrar`. As with Apple's macro, accessors that a model itself declares can use it.
  ///
  /// It stores nothing: the actual registrar of a model is created when the model is first observed.
  public struct ModelRegistrar {
    /// Creates a value that can be used for any model. For generated code.
    public init() {}

    /// Records that a property was read, so that its observers are notified of changes.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - keyPath: The property.
    public func access<Model: PersistentModel, Value>(_ model: Model, keyPath: KeyPath<Model, Value>) {
      model._$access(keyPath)
    }

    /// Changes a property, and notifies its observers.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - keyPath: The property.
    ///   - mutation: The change.
    /// - Returns: The result of `mutation`.
    /// - Throws: Any error of `mutation`.
    public func withMutation<Model: PersistentModel, Value, Result>(
      of model: Model, keyPath: KeyPath<Model, Value>, _ mutation: () throws -> Result
    ) rethrows -> Result {
      try model._$withMutation(keyPath, mutation)
    }

    /// Notifies the observers of a property before a change.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - keyPath: The property.
    public func willSet<Model: PersistentModel, Value>(_ model: Model, keyPath: KeyPath<Model, Value>) {
      unsafe model._$state.pointee.observation?.registrar.willSet(model, keyPath: keyPath)
    }

    /// Notifies the observers of a property after a change.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - keyPath: The property.
    public func didSet<Model: PersistentModel, Value>(_ model: Model, keyPath: KeyPath<Model, Value>) {
      unsafe model._$state.pointee.observation?.registrar.didSet(model, keyPath: keyPath)
    }
  }
}
