#if PostgreSQL
  import PersistenceContainer
  import PersistenceHistory
  import PersistenceSupport

  /// The age and size limits of a store's history.
  package struct HistoryLimits: Sendable {
    /// The maximum age of a record in seconds; nil for no limit.
    let age: Double?
    /// The maximum size of the history in bytes; nil for no limit.
    let bytes: Int64?

    package init(age: Double?, bytes: Int64?) {
      self.age = age
      self.bytes = bytes
    }

    /// Nil if no history is kept.
    init?(_ history: ModelConfiguration.History) {
      guard history.isKept else { return nil }
      age = history.maximumAge.map { $0 / .seconds(1) }
      bytes = history.maximumSize.map { Int64(max(0, $0)) }
    }

    /// The number of records after which the oldest ones are examined, at the latest.
    static let interval: Int64 = 256
    /// The approximate overhead in bytes of a record, and of a tombstone value.
    static let overhead: Int64 = 48

    /// The size in bytes of a record with the values that its deletions may have stored, whose size is unknown yet.
    static func size(of record: HistoryRecord, changes: Int) -> Int {
      var size = changes + Int(overhead)
      for group in record.groups where group.kind == .delete {
        for keys in group.keys { size += keys.count * Int(overhead) }
      }
      return size
    }

    /// The time until the next examination by age.
    var pause: Duration { .seconds(max((age ?? 0) / 8, 3_600)) }

    /// Whether all limits are examined after a record.
    ///
    /// - Parameter bytes: The number of bytes added since the last examination. At an eighth of the limit, an
    ///   examination is cheap compared with so many saved bytes, and at most an eighth is kept for too long.
    func wantsLook(after number: Int64, bytes: Int) -> Bool {
      guard age != nil || self.bytes != nil else { return false }
      return number.isMultiple(of: Self.interval) || self.bytes.map { Int64(bytes) > $0 / 8 } ?? false
    }
  }

  /// The engine's state of the history that it writes.
  struct HistoryProgress: Sendable {
    /// The number up to which the history is known to be complete.
    var place: Int64 = 0
    /// How many of the next records check whether records with lower numbers are uncommitted. Later records only test
    /// whether they directly follow ``place``, as they do if no other process saves.
    var looks = 1
    /// The number of such checks after another process has saved.
    static let looksBesideOthers = 64
    /// The number of bytes added since the limits were examined.
    var bytes = 0
    /// The time of the next examination by age; nil to examine with the next record.
    var nextLook: ContinuousClock.Instant?
  }
#endif
