extension _PersistenceRuntime {
  /// The values that accessors of a model's own set in its initialisers, until the object is used.
  ///
  /// Such an accessor sets them in `_$backingData`, as it does with Apple's macro, and has no object to put them into:
  /// it may run before the object is complete. For generated code.
  public struct InitialValues<Model> {
    /// Each in an array, so that its type is known: an optional in an `Any` is not.
    private var values: [AnyKeyPath: Any]?

    /// No values.
    public init() {}

    /// Whether there are values that their slots do not have yet.
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

    /// The values, which are gone from here then.
    public mutating func take() -> _PersistenceRuntime.InitialValues<Model> {
      defer { values = nil }
      return self
    }

    /// The value that was set of a property; nil if none was.
    public func value<Value>(at keyPath: KeyPath<Model, Value>) -> Value? {
      (values?[keyPath] as? [Value])?.first
    }
  }
}
