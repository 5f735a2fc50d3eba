import PersistenceRuntime

/// An engine that is notified of the contexts that use it.
package protocol EditedEngine: StoreEngine {
  /// Called before a context's first use of the store, in the isolation of the context.
  func begin(_ state: EditingState)
  /// Called when the context is released.
  func end(_ state: EditingState)
}

/// An engine of a store with its own type of history.
package protocol TransactionEngine: StoreEngine {
  /// The type of the transactions that the store keeps; nil if it keeps none.
  var transactionType: (any HistoryTransaction.Type)? { get }
  /// The transactions that match a descriptor; nil if the store keeps no transactions of this type.
  func transactions<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]?
  /// Deletes the transactions that match a descriptor. Returns whether the store keeps transactions of this type.
  func deleteTransactions<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> Bool
}
