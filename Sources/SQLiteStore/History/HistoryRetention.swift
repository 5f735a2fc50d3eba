extension SQLiteConnection {
  /// After a new record was added, deletes the oldest records if the records exceed a limit.
  func retain(
    _ retention: HistoryRetention, looking look: HistoryRetention.Look, through number: Int64, time: Double
  ) throws {
    let oldest = retention.oldest(at: time) ?? -.infinity
    let (start, startTime) = try firstRecord() ?? (number: number, time: time)
    guard look == .all || startTime < oldest else { return }
    let total = try noteTotal(through: number)
    var first = max(1, start)
    if startTime < oldest { first = max(first, try firstNumber(since: oldest, behind: start) ?? number) }
    if let limit = retention.bytes.map({ Int64(clamping: $0) }), total > limit {
      // Visits only records with a running total. Visiting each number would take very long if another program has left
      // a large gap between two numbers.
      while first < number, let next = try boundary(after: first, through: number),
        try isOver(limit, from: first, to: next, of: total)
      {
        first = next.number
      }
    }
    first = min(first, number)
    guard first > start else { return }
    try run(HistoryTable.deleteBefore, first)
    if handle.knowsTable(TombstoneTable.name) { try run(TombstoneTable.deleteBefore, first) }
  }

  /// The number and time of the first record that was not deleted; nil if there is none.
  private func firstRecord() throws -> (number: Int64, time: Double)? {
    try withStatement(HistoryTable.firstTime) { statement in
      guard try statement.step() else { return nil }
      return (number: statement.integer(0), time: statement.real(1))
    }
  }

  private func firstNumber(since time: Double, behind number: Int64) throws -> Int64? {
    try withStatement(HistoryTable.firstSince) { statement in
      try statement.bind(number, at: 1)
      try statement.bind(time, at: 2)
      return try statement.number()
    }
  }

  private func boundary(after first: Int64, through last: Int64) throws -> (number: Int64, total: Int64)? {
    try withStatement(HistoryTable.nextTotal) { statement in
      try statement.bind(first, at: 1)
      try statement.bind(last, at: 2)
      guard try statement.step() else { return nil }
      return (statement.integer(0), max(0, statement.integer(1)))
    }
  }

  /// True if the records from number `first` on exceed the limit. `next` is a later record with a running total.
  private func isOver(
    _ limit: Int64, from first: Int64, to next: (number: Int64, total: Int64), of total: Int64
  ) throws -> Bool {
    let behind = total - min(next.total, total)
    return try behind > limit || bytes(after: first - 1, through: next.number) > limit - behind
  }

  /// Stores and returns the total size of all records up to a number.
  private func noteTotal(through number: Int64) throws -> Int64 {
    let (previous, before) = try withStatement(HistoryTable.lastTotal) { statement in
      try statement.bind(number, at: 1)
      return try statement.step() ? (statement.integer(0), max(0, statement.integer(1))) : (0, 0)
    }
    let added = try bytes(after: previous, through: number)
    let (all, isTooMuch) = before.addingReportingOverflow(added)
    let total = isTooMuch ? .max : all
    try withStatement(HistoryTable.setTotal) { statement in
      try statement.bind(number, at: 1)
      try statement.bind(total, at: 2)
      try statement.run()
    }
    return total
  }

  /// The size in bytes of some records, including the stored values of rows that they deleted.
  private func bytes(after first: Int64, through last: Int64) throws -> Int64 {
    let records = try sum(HistoryTable.sum, after: first, through: last)
    guard handle.knowsTable(TombstoneTable.name) else { return records }
    let values = try sum(TombstoneTable.sum, after: first, through: last)
    let (all, isTooMuch) = records.addingReportingOverflow(values)
    return isTooMuch ? .max : all
  }

  private func sum(_ sql: String, after first: Int64, through last: Int64) throws -> Int64 {
    try withStatement(sql) { statement in
      try statement.bind(first, at: 1)
      try statement.bind(last, at: 2)
      try statement.bind(Int64(HistoryRetention.overhead), at: 3)
      return try max(0, statement.number() ?? 0)
    }
  }

  /// Runs a statement with one numeric parameter.
  func run(_ sql: String, _ number: Int64) throws {
    try withStatement(sql) { statement in
      try statement.bind(number, at: 1)
      try statement.run()
    }
  }
}
