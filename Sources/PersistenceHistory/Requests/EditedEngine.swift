import PersistenceRuntime

/// A store engine that is notified when a context begins to use it, and when the context is released.
package protocol EditedEngine: StoreEngine {
  /// Called before a context's first use of the store, in the isolation of the context.
  func begin(_ state: EditingState)
  /// Called when the context is released.
  func end(_ state: EditingState)
}

/// The engine of a store that has its own type of transactions in its history.
package protocol TransactionEngine: StoreEngine {
  /// The type of the transactions; nil if the store has no history.
  var transactionType: (any HistoryTransaction.Type)? { get }
  /// Returns the transactions that match a descriptor; nil if the store has no transactions of this type.
  func transactions<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]?
  /// Deletes the transactions that match a descriptor. Returns false if the store has no transactions of this type.
  func deleteTransactions<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool
}
