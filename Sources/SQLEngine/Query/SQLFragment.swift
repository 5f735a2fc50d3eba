import PersistenceRuntime

/// A piece of a statement that stands for one subtree of a query.
struct SQLFragment {
  /// What the piece is, which decides how its neighbours may use it.
  enum Role: Equatable {
    case column
    /// A bound value that is not written down yet: how it is bound depends on the operator.
    case bound(Int)
    case null
    case list(Int)
    /// A value whose elements can be taken one by one, as a database without arrays has them.
    case packedList
    case truth(Bool)
    /// A test, with the operator that joins it when it is a conjunction or disjunction.
    case condition(joinedBy: String?)
    /// Any other value.
    case expression
  }

  /// What it means when the piece comes out as NULL.
  enum Nullness {
    case never
    /// Swift's answer would be false. Only conditions are like that.
    case meansFalse
    /// Swift's answer would be nil.
    case meansNil
  }

  var role: Role
  var sql = ""
  var format: ColumnFormat = .integer
  var nullness = Nullness.never
  /// The column that it is, where an index over points has that.
  var indexedColumn: String?
  /// What indexes have of it, where it is a decimal column.
  var decimalIndex: DecimalIndex?
  /// Whether it is the same for all rows.
  var isConstant = false
  /// What is so about columns with an index over points whenever the piece, as a condition, holds.
  var bounds: [SpatialBound] = []
  /// How many conditions the operator joins that joins it, without parentheses between them.
  var termCount = 1

  static func condition(
    _ sql: String, joinedBy operation: String? = nil, _ nullness: Nullness, _ bounds: [SpatialBound] = []
  ) -> SQLFragment {
    SQLFragment(role: .condition(joinedBy: operation), sql: sql, nullness: nullness, bounds: bounds)
  }

  static func truth(_ isTrue: Bool) -> SQLFragment {
    SQLFragment(role: .truth(isTrue), sql: isTrue ? "TRUE" : "FALSE")
  }

  var isNullable: Bool { nullness == .meansNil }

  var isBound: Bool {
    if case .bound = role { return true }
    return false
  }

  /// Whether not-a-number can come out of it at run time, stored as text.
  var mayBeStoredNotANumber: Bool { format == .real && !isBound }
}
