import Foundation

/// The last history number of a store that is replaced by a backup.
///
/// The history of the restored store continues after this number, so that no number is reused. A token from a save
/// after the backup is then reported as expired, and does not match a later save.
struct RestoredHistory {
  private let last: Int64

  init(last: Int64) { self.last = last }

  /// Nil if the store has no history.
  init?(of handle: SQLiteHandle) throws {
    last = try handle.lastHistoryNumber
    guard last > 0 else { return nil }
  }

  /// Whether a store's history ends before the last number of the replaced store.
  func isBehind(in handle: SQLiteHandle) throws -> Bool { try handle.lastHistoryNumber < last }

  /// If the store's history ends before the last number, adds a record without changes that has this number. Later
  /// records then get higher numbers.
  func goOn(in handle: SQLiteHandle) throws {
    guard try isBehind(in: handle) else { return }
    try handle.execute(HistoryTable.creation)
    let time = Date().timeIntervalSinceReferenceDate
    try handle.execute("INSERT INTO \(HistoryTable.name) (number, time) VALUES (\(last), \(time))")
  }
}
