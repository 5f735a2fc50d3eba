import PersistenceHistory

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

  /// Counts a record, and the values that its deletions may have kept. Their size is known only when they are looked
  /// at.
  mutating func count(_ record: HistoryRecord, bytes count: Int) {
    bytes += count + HistoryRetention.overhead
    for group in record.groups where group.kind == .delete {
      for keys in group.keys { bytes += keys.count * HistoryRetention.overhead }
    }
  }
}

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
    age.map { time + max($0 / .seconds(8), Self.leastPause) } ?? .infinity
  }

  /// The time before which records are too old; nil without a limit.
  func oldest(at time: Double) -> Double? { age.map { time - $0 / .seconds(1) } }
}
