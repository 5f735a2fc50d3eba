import PersistenceCore

/// A piece of a statement that stands for one subtree of a query.
struct SQLFragment {
  /// What the piece is, which decides how its neighbours may use it.
  enum Role: Equatable {
    case column
    /// A bound value that is not written down yet: how it is bound depends on the operator.
    case bound(Int)
    case null
    case list(Int)
    case truth(Bool)
    /// A test, with the operator that joins it when it is a conjunction or disjunction.
    case condition(joinedBy: String?)
    /// Any other value.
    case expression
  }

  var role: Role
  var sql = ""
  var format: ColumnFormat = .integer
  /// Whether it can be nil; of a condition: whether it can be unknown.
  var isNullable = false

  static func condition(_ sql: String, isNullable: Bool) -> SQLFragment {
    SQLFragment(role: .condition(joinedBy: nil), sql: sql, isNullable: isNullable)
  }

  var isBound: Bool {
    if case .bound = role { return true }
    return false
  }

  /// Whether not-a-number can come out of it at run time, stored as text.
  var mayBeNotANumber: Bool { format == .real && !isBound }
}
