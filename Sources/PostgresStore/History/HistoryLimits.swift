#if PostgreSQL
  import PersistenceContainer
  import PersistenceHistory
  import PersistenceSupport

  /// How long the history of a store is kept, and how much of it.
  package struct HistoryLimits: Sendable {
    /// In seconds; nil for any time.
    let age: Double?
    /// Nil for any number.
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

    /// Every so many records the first ones are looked at, at the latest.
    static let interval: Int64 = 256
    /// What a record takes besides its changes, and a value of a deleted row besides itself, about.
    static let overhead: Int64 = 48

    /// How many bytes a record takes, with the values that its deletions may have kept. Their size is known only when they are looked at.
    static func size(of record: HistoryRecord, changes: Int) -> Int {
      var size = changes + Int(overhead)
      for group in record.groups where group.kind == .delete {
        for keys in group.keys { size += keys.count * Int(overhead) }
      }
      return size
    }

    /// When the age is looked at again.
    var pause: Duration { .seconds(max((age ?? 0) / 8, 3_600)) }

    /// Whether all limits are looked at after a record.
    ///
    /// - Parameter bytes: What was added since the last look. Looking costs little where an eighth of the limit has come, and no more
    ///   than an eighth is kept too long.
    func wantsLook(after number: Int64, bytes: Int) -> Bool {
      guard age != nil || self.bytes != nil else { return false }
      return number.isMultiple(of: Self.interval) || self.bytes.map { Int64(bytes) > $0 / 8 } ?? false
    }
  }

  /// What an engine knows of the history to which it adds.
  struct HistoryProgress: Sendable {
    /// The place up to which the history is known to be complete.
    var place: Int64 = 0
    /// How many of the next records look whether others with lower numbers have not committed. The rest are content to be the next one
    /// behind the known place, which they are where no other process saves.
    var looks = 1
    /// How often it is looked after others have saved.
    static let looksBesideOthers = 64
    /// How many bytes were added since the limits were looked at.
    var bytes = 0
    /// When the age is looked at again; nil for with the next record.
    var nextLook: ContinuousClock.Instant?
  }
#endif
