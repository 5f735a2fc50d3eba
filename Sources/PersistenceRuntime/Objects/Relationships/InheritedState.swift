import PersistenceSupport

extension _PersistenceRuntime {
  /// What stands for the state of an object in the accessors of a class whose superclass has it. It takes no room.
  ///
  /// The initialiser of a subclass sets its own properties before the state is there. When those of the superclass have
  /// values too, these look at what the subclass has set.
  @frozen
  public struct InheritedState {
    @inlinable
    public init() {}

    @inlinable
    public func _$didInitialize<Value>(_ value: Value) {}

    @inlinable
    public func _$isComplete(_ place: UInt32, of count: UInt32) -> Bool { false }

    @inlinable
    public func _$isComplete(_ place: UInt32, of count: UInt32, in set: inout _PersistenceRuntime.InheritedState)
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
