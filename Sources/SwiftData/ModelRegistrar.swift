import Observation
import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

extension _PersistenceRuntime {
  /// The registrar of a model, under Apple's name `_$observationRegistrar`, for its own accessors. For generated code.
  ///
  /// A model gets its registrar when it is first observed.
  public struct ModelRegistrar {
    /// Creates the registrar of any model.
    public init() {}

    /// Records that a property is read.
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
