import PersistenceSupport

extension _PersistenceRuntime {
  /// An empty substitute for the model state in the accessors of a class whose superclass has it.
  ///
  /// The initialiser of a subclass sets its own properties before the inherited state exists. If the superclass's
  /// properties have values too, its accessors inspect what the subclass has set.
  @frozen
  public struct InheritedState {
    @inlinable
    public init() {}

    @inlinable
    public func _$didInitialize<Value>(_ value: Value) {}

    @inlinable
    public func _$isComplete(_ index: UInt32, of count: UInt32) -> Bool { false }

    @inlinable
    public func _$isComplete(_ index: UInt32, of count: UInt32, in set: inout _PersistenceRuntime.InheritedState)
      -> Bool
    { false }

    @inlinable
    public var _$isReaching: Bool { false }

    @inlinable
    public func _$isReaching<Model: PersistentModel>(_ type: Model.Type, at offset: @autoclosure () -> Int) -> Bool {
      false
    }

    @inlinable
    public func _$join<Model: PersistentModel>(_ type: Model.Type, at offset: Int) {}
  }
}
