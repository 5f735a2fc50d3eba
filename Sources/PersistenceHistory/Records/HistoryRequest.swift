/// The conditions on the history records that a store reads.
package struct HistoryRequest: Sendable {
  /// Only records with greater numbers are read.
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
  /// Whether the last records are read if there are more than ``limit``. If not, the first ones are read.
  package var takesLast = false

  package enum Author: Sendable, Hashable {
    case named(String)
    /// Records of contexts without an author.
    case none
  }

  package init() {}
}

/// A record as it is stored, with its changes as JSON text.
package struct HistoryEntry: Sendable {
  package let number: Int64
  /// The time of the save, in seconds since 2001.
  package let time: Double
  package let author: String?
  package let program: String
  package let process: String
  /// The groups of changed rows, as JSON text.
  package let changes: String
  private let mark: Mark?

  /// Information about the time between the previous record and this one.
  package enum Mark: Int64, Sendable {
    /// Between the two records, another program changed the database without writing a record.
    case gap = 1
    /// Both records belong to saves in one transaction, and so to one commit.
    case sameCommit = 2
  }

  /// Whether another program changed the database between the previous record and this one, without writing a record.
  package var followsGap: Bool { mark == .gap }
  /// Whether the saves of this record and the previous one were committed together, in one transaction.
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

/// The records that a request has read from a store, all in one read transaction.
package struct HistoryExtract: Sendable {
  package var entries: [HistoryEntry] = []
  /// The number of the first record in the history of the store; nil if the history is empty.
  package var first: Int64?
  /// The number of the last record that was ever added, even if it has been deleted; 0 if there has never been one.
  package var last: Int64 = 0
  /// Whether all records after ``HistoryRequest/after`` and up to ``HistoryRequest/through`` still exist. False if some
  /// of them have been deleted.
  package var isComplete = true
  /// Whether uncommitted saves have already reserved record numbers after ``last``. Their records can be read when all
  /// these saves have ended. If the last of them rolls back, no commit is announced, so a reader must try again.
  package var isOpen = false

  package init() {}
}
