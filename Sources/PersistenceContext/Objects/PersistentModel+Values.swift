import PersistenceRuntime
import PersistenceSupport

extension PersistentModel {
  /// Sets a property by an untyped key path.
  ///
  /// - Returns: False if the value has another type than the property, or the property is constant.
  @discardableResult
  package func _$set(_ value: Any, at keyPath: AnyKeyPath) -> Bool {
    func assign<Value>(_ type: Value.Type) -> Bool {
      guard let value = value as? Value else { return false }
      if let keyPath = keyPath as? ReferenceWritableKeyPath<Self, Value> {
        self[keyPath: keyPath] = value
        return true
      }
      return assign(value, of: Swift.type(of: keyPath).rootType)
    }
    // The root of the key path may be a subclass of Self, if the object is of this subclass.
    func assign<Value>(_ value: Value, of root: any Any.Type) -> Bool {
      func assign<Root>(_ type: Root.Type) -> Bool {
        guard let keyPath = keyPath as? ReferenceWritableKeyPath<Root, Value>, let root = self as? Root else {
          return false
        }
        root[keyPath: keyPath] = value
        return true
      }
      return _openExistential(root, do: assign)
    }
    return _openExistential(type(of: keyPath).valueType, do: assign)
  }
}

extension PersistentModel {
  /// The context of the model; nil before the model is inserted and after its row is deleted. Apple's.
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
