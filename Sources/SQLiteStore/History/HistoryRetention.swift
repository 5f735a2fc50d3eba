import Foundation
import PersistenceHistory

extension HistoryRetention {
  /// Every so many records the first ones are looked at, at the latest. Records with which that happened say how many bytes
  /// all had up to them, so that nothing has to be added up again.
  static let interval: Int64 = 256
  /// What a record takes besides its changes, and a value of a deleted row besides itself, about.
  static let overhead = 48
  /// The least time between two looks because of the age, in seconds.
  private static let leastPause = 3_600.0

  /// What is looked at with a new record.
  enum Look {
    /// The age of the first record, and the rest if that is too old.
    case age
    case all
  }

  /// What is to be looked at with a new record; nil for nothing.
  func look(_ progress: HistoryProgress, number: Int64, time: Double) -> Look? {
    if number.isMultiple(of: Self.interval) { return .all }
    // Looking costs little where an eighth of the limit has come, and no more than an eighth is kept too long.
    if let bytes, progress.bytes > bytes / 8 { return .all }
    return age != nil && time >= progress.nextLook ? .age : nil
  }

  /// When records are looked at again because of their age, at the latest.
  func nextLook(after time: Double) -> Double {
    age.map { time + max($0.seconds / 8, Self.leastPause) } ?? .infinity
  }

  /// The time before which records are too old; nil without a limit.
  func oldest(at time: Double) -> Double? { age.map { time - $0.seconds } }
}

/// What an engine knows of the history that it writes.
struct HistoryProgress: Sendable {
  /// The last record of the engine, and the commits of others that were known then; nil before the first.
  var last: (number: Int64, foreignChanges: Int64)?
  /// How many bytes were added since the first records were looked at, about.
  var bytes = 0
  /// When they are looked at again, in seconds since 2001. The first record of an engine looks.
  var nextLook = -Double.infinity

  mutating func didLook(_ look: HistoryRetention.Look, nextLook: Double) {
    if look == .all { bytes = 0 }
    self.nextLook = nextLook
  }

  /// Counts a record, and the values that its deletions may have left, of which only a look knows the size.
  mutating func count(_ record: HistoryRecord, bytes count: Int) {
    bytes += count + HistoryRetention.overhead
    for group in record.groups where group.kind == .delete {
      for keys in group.keys { bytes += keys.count * HistoryRetention.overhead }
    }
  }
}

extension SQLiteConnection {
  /// Deletes the records that are too old, or too many, after one with a number.
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
      // From one record with a total to the next: numbers between them may be missing, and another program may have left
      // out as many as it liked.
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

  /// The first record, with its time.
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

  /// Whether the records from one on are more than a limit, of which a later one has a total.
  private func isOver(
    _ limit: Int64, from first: Int64, to next: (number: Int64, total: Int64), of total: Int64
  ) throws -> Bool {
    let behind = total - min(next.total, total)
    return try behind > limit || bytes(after: first - 1, through: next.number) > limit - behind
  }

  /// Notes how many bytes all records have had up to a number.
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

  /// How many bytes some records have, with the values of the rows that they deleted.
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

  /// Runs a statement with one number as its parameter.
  func run(_ sql: String, _ number: Int64) throws {
    try withStatement(sql) { statement in
      try statement.bind(number, at: 1)
      try statement.run()
    }
  }
}

extension Duration {
  fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
