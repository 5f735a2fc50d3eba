/// The part of a store's history that a request wants.
package struct HistoryRequest: Sendable {
  /// The number behind which records are wanted.
  package var after: Int64 = 0
  /// The last number that is wanted; nil for all.
  package var through: Int64?
  /// The first and the last time that is wanted, in seconds since 2001; nil for any.
  package var since: Double?
  package var until: Double?
  /// The author whose records are wanted; nil for any.
  package var author: Author?
  /// The greatest number of records; nil for all.
  package var limit: Int?

  package enum Author: Sendable, Hashable {
    case named(String)
    /// Saves of contexts without an author.
    case none
  }

  package init() {}
}

/// A record as a store has it.
package struct HistoryEntry: Sendable {
  package let number: Int64
  /// Seconds since 2001.
  package let time: Double
  package let author: String?
  package let program: String
  package let process: String
  /// The text of the record's groups.
  package let changes: String
  private let mark: Mark?

  /// What stands between a record and the one before.
  package enum Mark: Int64, Sendable {
    /// A commit of another program, without a record of its own.
    case gap = 1
    /// Nothing: both are of saves in one transaction, and of one commit.
    case sameCommit = 2
  }

  /// Whether another program has committed between the record before and this one, without a record of its own.
  package var followsGap: Bool { mark == .gap }
  /// Whether the record before is of the same commit.
  package var continuesCommit: Bool { mark == .sameCommit }

  package init(
    number: Int64, time: Double, author: String?, program: String, process: String, changes: String, mark: Mark?
  ) {
    self.number = number
    self.time = time
    self.author = author
    self.program = program
    self.process = process
    self.changes = changes
    self.mark = mark
  }
}

/// A part of a store's history, as one snapshot of the store has it.
package struct HistoryExtract: Sendable {
  package var entries: [HistoryEntry] = []
  /// The number of the first record; nil if there is none.
  package var first: Int64?
  /// The number of the last record, deleted or not; 0 if there never was one.
  package var last: Int64 = 0
  /// Whether all records behind ``HistoryRequest/after``, up to ``HistoryRequest/through``, are still there.
  package var isComplete = true
  /// Whether saves have numbers behind ``last`` that have not all committed: records are found behind it without news of a
  /// commit, when the last of them has ended.
  package var isOpen = false

  package init() {}
}
