import PersistenceContext
import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport

/// The errors of requests for transactions that no store keeps. Each error lists what can be requested.
package enum MissingHistory {
  /// The error of a fetch or a deletion.
  ///
  /// - Parameters:
  ///   - type: The type of the transactions.
  ///   - stores: The stores of the container.
  static func error(of type: any HistoryTransaction.Type, in stores: [StoreCoordinator]) -> SwiftDataError {
    let isDefault = type == DefaultHistoryTransaction.self
    let setting = "Set ModelConfiguration.history, for example to .standard."
    var ways = stores.contains(where: \.isDefault) ? [isDefault ? setting : "Ask for DefaultHistoryTransaction."] : []
    for engine in stores.compactMap({ $0.engine as? any TransactionEngine }) {
      ways.append(
        engine.transactionType.map { "The store '\(engine.location)' keeps a history of \($0): ask for that." }
          ?? "The store '\(engine.location)' is one of the program: it keeps a history if its type is HistoryProviding."
      )
    }
    return error(of: isDefault ? "" : " of \(type)", ways)
  }

  /// The error of a history observer. Observers support only the stores of `ModelConfiguration`.
  package static func errorOfObserver(of stores: [StoreCoordinator]) -> SwiftDataError {
    guard !stores.contains(where: \.isDefault) else { return error(of: DefaultHistoryTransaction.self, in: stores) }
    return error(of: "", ["No observer follows stores of the program: ask these with fetchHistory(_:)."])
  }

  private static func error(of kind: String, _ ways: [String]) -> SwiftDataError {
    let missing = "No store of the container keeps a history\(kind)\(kind.isEmpty ? ", or has one" : "")."
    return SwiftDataError(.invalidTransactionFetchRequest, ([missing] + ways).joined(separator: " "))
  }
}

extension StoreCoordinator {
  /// Whether the store is a default store, not a custom one.
  fileprivate var isDefault: Bool { identities == nil }
}
