import PersistenceSupport

extension _PersistenceRuntime {
  /// The storage of one property of a model.
  ///
  /// Not an optional: Swift initialises an optional stored property to nil after the init accessors of properties with
  /// defaults have run, which would erase their values.
  @frozen
  public enum Slot<Value> {
    /// The value is not loaded.
    case fault
    case value(Value)

    /// The value, if it is loaded.
    var known: Value? {
      if case .value(let value) = self { value } else { nil }
    }
  }
}
