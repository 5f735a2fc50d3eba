import Foundation

/// The last number of the history of a store that is replaced by a backup.
///
/// The history of the backup goes on behind it, so that no number is used twice: a token from after the backup has
/// expired, and is not taken for one of a later save.
struct RestoredHistory {
  private let last: Int64

  init(last: Int64) { self.last = last }

  /// Nil if the store has no history.
  init?(of handle: SQLiteHandle) throws {
    last = try handle.lastHistoryNumber
    guard last > 0 else { return nil }
  }

  /// Whether a store has not come to the last number.
  func isBehind(in handle: SQLiteHandle) throws -> Bool { try handle.lastHistoryNumber < last }

  /// Makes the last number that of a deleted record, if the store has not come to it.
  func goOn(in handle: SQLiteHandle) throws {
    guard try isBehind(in: handle) else { return }
    try handle.execute(HistoryTable.creation)
    let time = Date().timeIntervalSinceReferenceDate
    try handle.execute("INSERT INTO \(HistoryTable.name) (number, time) VALUES (\(last), \(time))")
  }
}
