import Foundation

extension HistoryRetention {
  /// Every so many records the first ones are looked at. A record of such a number says how many bytes all records had up
  /// to it, so that nothing has to be added up again.
  static let interval: Int64 = 256
  /// What a record takes besides its changes, about.
  static let overhead = 48
}

extension SQLiteConnection {
  /// Deletes the records that are too old, or too many, after one with a number that is divisible by the interval.
  func retain(_ retention: HistoryRetention, through number: Int64) throws {
    let total = try noteTotal(through: number)
    let start = max(1, try self.number(HistoryTable.ends) ?? number)
    var first = start
    // From one record with a total to the next: numbers between them may be missing, and another program may have left
    // out as many as it liked.
    while let next = try boundary(after: first, before: number),
      retention.isOver(time: next.time, bytes: total - next.total)
    {
      first = next.number
    }
    guard first > start else { return }
    try run(HistoryTable.deleteBefore, first)
    if handle.knowsTable(TombstoneTable.name) { try run(TombstoneTable.deleteBefore, first) }
  }

  private func boundary(
    after first: Int64, before last: Int64
  ) throws -> (number: Int64, time: Double, total: Int64)? {
    try withStatement(HistoryTable.nextTotal) { statement in
      try statement.bind(first, at: 1)
      try statement.bind(last, at: 2)
      guard try statement.step() else { return nil }
      return (statement.integer(0), statement.real(1), max(0, statement.integer(2)))
    }
  }

  /// Notes how many bytes all records have had up to a number.
  private func noteTotal(through number: Int64) throws -> Int64 {
    let (previous, before) = try withStatement(HistoryTable.lastTotal) { statement in
      try statement.bind(number, at: 1)
      return try statement.step() ? (statement.integer(0), max(0, statement.integer(1))) : (0, 0)
    }
    let added = try withStatement(HistoryTable.sum) { statement in
      try statement.bind(previous, at: 1)
      try statement.bind(number, at: 2)
      try statement.bind(Int64(HistoryRetention.overhead), at: 3)
      return try statement.step() ? statement.integer(0) : 0
    }
    let (sum, isTooMuch) = before.addingReportingOverflow(added)
    let total = isTooMuch ? .max : sum
    try withStatement(HistoryTable.setTotal) { statement in
      try statement.bind(number, at: 1)
      try statement.bind(total, at: 2)
      try statement.run()
    }
    return total
  }

  /// Runs a statement with one number as its parameter.
  func run(_ sql: String, _ number: Int64) throws {
    try withStatement(sql) { statement in
      try statement.bind(number, at: 1)
      try statement.run()
    }
  }
}

extension HistoryRetention {
  /// Whether records from before a time go, behind which there are so many bytes.
  fileprivate func isOver(time: Double, bytes others: Int64) -> Bool {
    if let bytes, others > Int64(clamping: bytes) { return true }
    guard let age else { return false }
    let seconds = Double(age.components.seconds) + Double(age.components.attoseconds) / 1e18
    return time < Date().timeIntervalSinceReferenceDate - seconds
  }
}
