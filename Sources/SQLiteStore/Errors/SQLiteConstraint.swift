/// The rules that a database keeps, by the upper part of SQLite's extended code of a broken one.
///
/// SQLite defines these codes by macros that Swift does not import.
enum SQLiteConstraint: Int32 {
  case foreignKey = 3
  case notNull = 5
  case primaryKey = 6
  case unique = 8
  case rowIdentifier = 10
}
