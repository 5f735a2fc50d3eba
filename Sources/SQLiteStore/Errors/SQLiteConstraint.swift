import CSQLite

/// The rules that a database keeps, by the upper part of SQLite's extended code of a broken one.
///
/// SQLite defines these codes by macros that Swift does not import.
enum SQLiteConstraint: Int32 {
  case foreignKey = 3
  case notNull = 5
  case primaryKey = 6
  case unique = 8
  case rowIdentifier = 10

  /// Whether an extended code says that two rows would be alike that may not be.
  static func isUniqueness(_ code: Int32) -> Bool {
    guard code & 0xFF == SQLITE_CONSTRAINT, let constraint = SQLiteConstraint(rawValue: code >> 8) else { return false }
    return constraint == .unique
  }
}
