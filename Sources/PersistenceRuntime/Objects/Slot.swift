import PersistenceSupport

extension _PersistenceRuntime {
  /// The place in a model where the value of one property lives.
  ///
  /// Not an optional: an optional stored property is set to nil after the accessors of a property with a default have
  /// run, which would erase it.
  @frozen
  public enum Slot<Value> {
    /// The value has not been read from the store.
    case fault
    case value(Value)

    /// The value, if it has been read.
    var known: Value? {
      if case .value(let value) = self { value } else { nil }
    }
  }
}
