/// How far an engine is in encrypting its values anew.
package struct EngineReencryption: Sendable {
  /// The table whose rows are gone over, by its number among those with encrypted values.
  package var table = 0
  /// The least key of the rows that are left in it.
  package var key = Int64.min
  /// How many rows have been gone over since all were last begun with.
  package var rows = 0
  /// How many values were encrypted with a former key since then.
  package var values = 0
  /// The same in all.
  package var total = 0
  /// How often all rows have been begun with. Once more, if somebody else changed the store meanwhile.
  package var round = 1
  /// How many commits of others were known when they were last begun with.
  package var foreignChanges: Int64?
  package var isComplete = false

  package init() {}

  /// Begins with the first row once more.
  package mutating func restart() {
    (table, key, rows, values, foreignChanges) = (0, .min, 0, 0, nil)
    round += 1
  }
}
