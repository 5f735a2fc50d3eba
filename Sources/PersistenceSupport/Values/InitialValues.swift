extension _PersistenceRuntime {
  /// The values that custom accessors of a model set in its initialiser. The object gets these values at its first use.
  ///
  /// As with Apple's macro, such an accessor sets a value in `_$backingData`. It cannot set the value in the object,
  /// which may not be completely initialised yet. Used only by code that the macro generates.
  public struct InitialValues<Model> {
    /// Each value is in an array, which preserves its static type: an optional in an `Any` would lose its type.
    private var values: [AnyKeyPath: Any]?

    /// Creates a collection without values.
    public init() {}

    /// Whether some values were not copied to the object's slots (the storage of its properties) yet.
    public var isPending: Bool { values != nil }

    /// Sets the value of a property.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - newValue: The value.
    public mutating func setValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
      values = values ?? [:]
      values?[keyPath] = [newValue]
    }

    /// Sets the value of a property that has a transformer.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - newValue: The value.
    public mutating func setTransformableValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
      setValue(forKey: keyPath, to: newValue)
    }

    /// Removes and returns all values.
    public mutating func take() -> _PersistenceRuntime.InitialValues<Model> {
      defer { values = nil }
      return self
    }

    /// The value that was set for a property; nil if none was set.
    public func value<Value>(at keyPath: KeyPath<Model, Value>) -> Value? {
      (values?[keyPath] as? [Value])?.first
    }
  }
}
