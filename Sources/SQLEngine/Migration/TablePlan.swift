import PersistenceSchemas

/// How a new table comes to be.
enum TablePlan {
  /// It stays as it is, but for its columns.
  case alter([ColumnAlteration])
  /// It is made anew, and gets rows of old tables.
  case make([RowGroup])

  var isMade: Bool {
    if case .make = self { return true }
    return false
  }
}

/// A change of one column of a table that stays.
enum ColumnAlteration {
  case add(definition: String, value: StoredValue)
  case rename(String, to: String)
  case remove(String)
}

/// Rows of an old table that get into a new one in the same way.
struct RowGroup {
  let source: PhysicalTable
  /// The entities of the rows.
  var entities: [String]
  /// What each column of the new table gets, in its order.
  var sources: [ColumnSource]
}
