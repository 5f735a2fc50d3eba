extension _PersistenceRuntime {
  /// The values that a model's custom accessors set in its initialisers, until the object is used.
  ///
  /// Such an accessor sets the values in `_$backingData`, the same as with Apple's macro. It cannot set them in the
  /// object, which may not be completely initialised yet. For generated code.
  public struct InitialValues<Model> {
    /// Each value is wrapped in an array, which keeps its static type: an optional in an `Any` loses its type.
    private var values: [AnyKeyPath: Any]?

    /// Creates a collection without values.
    public init() {}

    /// Whether some values have not been copied to their slots yet.
    public var isPending: Bool { values != nil }

    /// Sets the value of a property.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - newValue: The value.
    public mutating func setValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
      values = values ?? [:]
      values?[keyPath] = [newValue]
    }

    /// Sets the value of a property with a transformer.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - newValue: The value.
    public mutating func setTransformableValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
      setValue(forKey: keyPath, to: newValue)
    }

    /// Returns the values and removes them.
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
