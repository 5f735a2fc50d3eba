import Foundation
import PersistenceRuntime

/// The changes of one save in a default store. Apple's.
///
/// Within a transaction, deletions come first, then insertions, then updates, in the order in which the save wrote
/// them. A row appears at most once.
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
  /// The changes. Apple's. Changes of entities that the schema no longer has are left out.
  public let changes: [HistoryChange]
  /// The position after the transaction, in all stores of the container. Apple's.
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
  /// Whether changes since the previous transaction may be missing from the history, because another program has
  /// committed without recording a transaction. Ours.
  ///
  /// A gap is recorded only by a process that had the store open during that commit and wrote the next transaction.
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

  /// Whether two are the same transaction of one store. Apple's.
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
