/// The progress of re-encrypting a store's values with the current key.
package struct EngineReencryption: Sendable {
  /// The index of the current table among those with encrypted values.
  package var table = 0
  /// The least key among the table's remaining rows.
  package var key = Int64.min
  /// The number of rows visited in this pass.
  package var rows = 0
  /// The number of values re-encrypted in this pass.
  package var values = 0
  /// The number of values re-encrypted in all passes.
  package var total = 0
  /// The number of passes. Another one is needed if others changed the store meanwhile.
  package var round = 1
  /// The foreign change count at the start of the pass.
  package var foreignChanges: Int64?
  package var isComplete = false

  package init() {}

  /// Starts another pass.
  package mutating func restart() {
    (table, key, rows, values, foreignChanges) = (0, .min, 0, 0, nil)
    round += 1
  }
}
