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

    /// Returns nil if no history is recorded.
    init?(_ history: ModelConfiguration.History) {
      guard history.isKept else { return nil }
      age = history.maximumAge.map { $0 / .seconds(1) }
      bytes = history.maximumSize.map { Int64(max(0, $0)) }
    }

    /// The limits are checked at least once in this number of records.
    static let interval: Int64 = 256
    /// The approximate size in bytes that a record, or a value of a deleted row, takes in addition to its content.
    static let overhead: Int64 = 48

    /// The size of a record, with the overhead for its deleted rows. The size of their values is not known yet.
    static func size(of record: HistoryRecord, changes: Int) -> Int {
      var size = changes + Int(overhead)
      for group in record.groups where group.kind == .delete {
        for keys in group.keys { size += keys.count * Int(overhead) }
      }
      return size
    }

    /// The time until the age of the oldest record is checked again.
    var pause: Duration { .seconds(max((age ?? 0) / 8, 3_600)) }

    /// Returns true if the limits should be checked after a record.
    ///
    /// - Parameter bytes: The number of bytes added since the last check. If it exceeds an eighth of the size limit, a
    ///   check is due: it then takes little time compared with saving these bytes, and the history exceeds the limit by
    ///   at most an eighth.
    func wantsLook(after number: Int64, bytes: Int) -> Bool {
      guard age != nil || self.bytes != nil else { return false }
      return number.isMultiple(of: Self.interval) || self.bytes.map { Int64(bytes) > $0 / 8 } ?? false
    }
  }

  /// What the engine knows of the history to which it adds records.
  struct HistoryProgress: Sendable {
    /// The record number up to which the history is known to be complete.
    var place: Int64 = 0
    /// How many of the next records are added by statements that also query whether saves with lower numbers are still
    /// running. For later records, the engine only checks whether the number directly follows ``place``, as it does if
    /// no other process saves.
    var looks = 1
    /// The value of ``looks`` after another process has saved.
    static let looksBesideOthers = 64
    /// The number of bytes added since the limits were last checked.
    var bytes = 0
    /// When the age is checked next; nil to check it after the next record.
    var nextLook: ContinuousClock.Instant?
  }
#endif
