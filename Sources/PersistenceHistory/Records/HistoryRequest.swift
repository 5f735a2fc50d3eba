/// A request for a part of a store's history.
package struct HistoryRequest: Sendable {
  /// Records with this number or a lower number are left out.
  package var after: Int64 = 0
  /// The number of the last record; nil for no limit.
  package var through: Int64?
  /// The earliest and the latest time of the records, in seconds since 2001; nil for no limit.
  package var since: Double?
  package var until: Double?
  /// The author of the records; nil for any.
  package var author: Author?
  /// The maximum number of records; nil for all.
  package var limit: Int?

  package enum Author: Sendable, Hashable {
    case named(String)
    /// Records of contexts without an author.
    case none
  }

  package init() {}
}

/// A stored record.
package struct HistoryEntry: Sendable {
  package let number: Int64
  /// The time of the save, in seconds since 2001.
  package let time: Double
  package let author: String?
  package let program: String
  package let process: String
  /// The text of the record's groups.
  package let changes: String
  private let mark: Mark?

  /// The relation of a record to the previous one.
  package enum Mark: Int64, Sendable {
    /// Another program has committed between the two records, without a record of its own.
    case gap = 1
    /// Both records belong to saves in one transaction, and so to one commit.
    case sameCommit = 2
  }

  /// Whether another program has committed between the previous record and this one, without a record of its own.
  package var followsGap: Bool { mark == .gap }
  /// Whether the previous record belongs to the same commit.
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

/// A part of a store's history, from one snapshot of the store.
package struct HistoryExtract: Sendable {
  package var entries: [HistoryEntry] = []
  /// The number of the first record; nil if there is none.
  package var first: Int64?
  /// The number of the last record, even if it was deleted; 0 if the store never had a record.
  package var last: Int64 = 0
  /// Whether all records after ``HistoryRequest/after``, up to ``HistoryRequest/through``, still exist.
  package var isComplete = true
  /// Whether uncommitted saves have record numbers after ``last``. Their records become readable when the last of these
  /// saves has ended. No notification of a commit reports that.
  package var isOpen = false

  package init() {}
}
