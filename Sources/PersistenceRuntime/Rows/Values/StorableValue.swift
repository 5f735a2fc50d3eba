import PersistenceSupport

extension _PersistenceRuntime {
  /// A type whose values one column stores directly.
  ///
  /// The value types of the standard library and Foundation conform. Other types are stored as raw values or JSON.
  public protocol StorableValue: Equatable {
    /// The column format.
    static var _$format: ColumnFormat { get }
    /// The placeholder for a missing value.
    static var _$placeholder: Self { get }
    /// Reads a column; nil if it contains no value of this type.
    static func _$read(_ row: RowReader, _ column: Int32) -> Self?
    /// Whether another value has the same stored representation, which is stricter than equality.
    func _$isStored(as other: Self) -> Bool
    /// Binds the value to a parameter, and returns the engine's code.
    func _$bind(_ row: inout RowWriter, _ parameter: Int32) -> Int32
  }
}

extension StorableValue {
  @inlinable
  public func _$isStored(as other: Self) -> Bool { self == other }
}
