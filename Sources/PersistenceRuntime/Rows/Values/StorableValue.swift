import PersistenceSupport

extension _PersistenceRuntime {
  /// A type whose values one column holds directly.
  ///
  /// The standard library's and Foundation's value types conform. Values of other types are stored as their raw value or
  /// as JSON.
  public protocol StorableValue: Equatable {
    /// How the column is written.
    static var _$format: ColumnFormat { get }
    /// What stands for a value that is missing.
    static var _$placeholder: Self { get }
    /// The value of a column; nil when the column holds no value of this type.
    static func _$read(_ row: RowReader, _ column: Int32) -> Self?
    /// Whether another value is stored in the same way, which can be less than whether it is equal.
    func _$isStored(as other: Self) -> Bool
    /// Binds the value to a parameter and returns the engine's code.
    func _$bind(_ row: inout RowWriter, _ parameter: Int32) -> Int32
  }
}

extension StorableValue {
  @inlinable
  public func _$isStored(as other: Self) -> Bool { self == other }
}
