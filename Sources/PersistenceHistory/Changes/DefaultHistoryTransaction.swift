import Foundation
import PersistenceRuntime

/// The changes of one save in a default store. Apple's.
///
/// The changes are in the order in which the save wrote them: first deletions, then insertions, then updates. A row
/// appears in at most one change.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// The type of the transaction's identifier. Apple's.
  public typealias TransactionIdentifier = Int64
  /// The type of positions in the history. Apple's.
  public typealias TokenType = DefaultHistoryToken
  /// The type of the transaction's identifier. Apple's.
  public typealias ID = Int64

  /// The identifier of the transaction in its store. Apple's.
  public var id: Int64 { transactionIdentifier }
  /// The time of the save, by the clock of its process. Apple's.
  public let timestamp: Date
  /// The changes. Apple's. Changes of rows whose entity was removed from the schema are left out.
  public let changes: [HistoryChange]
  /// The position in the history directly after this transaction. Apple's.
  public let token: DefaultHistoryToken
  /// The ID of the transaction in its store. Later transactions have greater IDs; no ID is reused. Apple's.
  public let transactionIdentifier: Int64
  /// The identifier of the store. Apple's.
  public let storeIdentifier: String
  /// The program that saved: the identifier of its bundle, or its name. Apple's.
  public let bundleIdentifier: String
  /// The process that saved: its process ID, as text. Apple's.
  public let processIdentifier: String
  /// The author of the context that saved. Apple's.
  public let author: String?
  /// Whether changes between the previous transaction and this one may be missing from the history, because another
  /// program changed the database without writing to the history. Ours.
  ///
  /// A missing change is detected only if the process that saved this transaction had the store open when the other
  /// program changed the database.
  public let followsGap: Bool

  package init(
    timestamp: Date, changes: [HistoryChange], token: DefaultHistoryToken, store: String, entry: HistoryEntry
  ) {
    self.timestamp = timestamp
    self.changes = changes
    self.token = token
    transactionIdentifier = entry.number
    storeIdentifier = store
    bundleIdentifier = entry.program
    processIdentifier = entry.process
    author = entry.author
    followsGap = entry.followsGap
  }

  /// Whether two values are the same transaction of the same store. Apple's.
  ///
  /// - Parameters:
  ///   - lhs: A transaction.
  ///   - rhs: Another transaction.
  public static func == (lhs: DefaultHistoryTransaction, rhs: DefaultHistoryTransaction) -> Bool {
    lhs.transactionIdentifier == rhs.transactionIdentifier && lhs.storeIdentifier == rhs.storeIdentifier
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactionIdentifier)
    hasher.combine(storeIdentifier)
  }
}
