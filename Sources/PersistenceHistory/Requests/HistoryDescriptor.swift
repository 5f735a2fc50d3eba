import Foundation
import PersistenceRuntime

/// Describes which transactions of a history to fetch or delete. Apple's.
///
/// ```swift
/// let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
/// let transactions = try context.fetchHistory(descriptor)
/// ```
public struct HistoryDescriptor<TransactionType: HistoryTransaction> {
  /// The condition; nil for all transactions. Apple's.
  ///
  /// The store evaluates comparisons of the token, of the timestamp and of the transaction's identifier, and equality
  /// tests of the author. These conditions must be joined with the rest of the predicate by `&&`. All other conditions
  /// are evaluated in memory.
  public var predicate: Predicate<TransactionType>?
  /// The maximum number of transactions; 0 for all. Apple's.
  public var fetchLimit: UInt64 = 0
  /// The sort order; empty for chronological order. Transactions that compare equal are in chronological order.
  /// Apple's.
  ///
  /// To fetch the last transactions of a store, sort by their identifiers in reverse order, and set ``fetchLimit``. The
  /// store then reads no other transactions. If it has to sort by another property, all transactions are read first.
  public var sortBy: [SortDescriptor<TransactionType>] = []

  /// Describes the transactions that satisfy a condition, in chronological order. Apple's.
  ///
  /// - Parameter predicate: The condition; nil for all transactions.
  public init(predicate: Predicate<TransactionType>? = nil) {
    self.predicate = predicate
  }

  /// Describes the transactions that satisfy a condition, in the given order. Apple's.
  ///
  /// - Parameters:
  ///   - predicate: The condition; nil for all transactions.
  ///   - sortBy: The sort order.
  public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

/// A store that keeps a history. Apple's.
public protocol HistoryProviding {
  /// The type of the store's transactions.
  associatedtype HistoryType: HistoryTransaction

  /// The type of the store's transactions.
  static var historyType: HistoryType.Type { get }

  /// Returns the transactions that match a descriptor.
  ///
  /// - Parameter descriptor: The descriptor.
  /// - Returns: The transactions.
  /// - Throws: An error of the store.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

  /// Deletes the transactions that match a descriptor.
  ///
  /// - Parameter descriptor: The descriptor.
  /// - Throws: An error of the store.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}
