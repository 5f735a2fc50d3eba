import Foundation
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

// The store cannot evaluate encrypted properties. Memory must not do it instead, because that would decrypt every row.

extension FetchPlan {
  /// - Throws: `SwiftDataError.unsupportedPredicate` if a predicate that is evaluated in memory reads an encrypted
  ///   property, of this model or of a related one.
  static func checkEncryption(of predicate: Predicate<T>, in store: StoreCoordinator) throws {
    guard store.hasEncrypted else { return }
    for keyPath in PredicateKeyPaths.all(in: predicate) {
      guard let outOfRow = store.outOfRowValue(at: keyPath), outOfRow.isEncrypted else { continue }
      throw SwiftDataError(
        .unsupportedPredicate,
        "\(outOfRow.entity).\(outOfRow.property) is encrypted, so that no predicate can ask for more than whether it is "
          + "nil. Fetch with the rest of the predicate, and filter the models in Swift.")
    }
  }

  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for an order by an encrypted property.
  static func checkEncryption(of order: [SortDescriptor<T>], in store: StoreCoordinator) throws {
    guard store.hasEncrypted else { return }
    for descriptor in order {
      guard let keyPath = descriptor.keyPath, let outOfRow = store.outOfRowValue(at: keyPath), outOfRow.isEncrypted
      else { continue }
      throw unsortable(outOfRow)
    }
  }

  /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for a term by an encrypted property, of this or a related
  ///   model.
  static func checkEncryption(of terms: [SortTerm], on entity: EntityLayout, in store: StoreCoordinator) throws {
    guard store.hasEncrypted else { return }
    for term in terms {
      let end = term.steps.last.flatMap { store.layout(named: $0.destination) } ?? entity
      guard let outOfRow = end.outOfRowValue(at: term.property), outOfRow.isEncrypted else { continue }
      throw unsortable(outOfRow)
    }
  }

  private static func unsortable(_ outOfRow: OutOfRowValue) -> SwiftDataError {
    SwiftDataError(
      .unsupportedSortDescriptor,
      "\(outOfRow.entity).\(outOfRow.property) is encrypted, so that the store cannot sort by it. "
        + "Fetch without the order, and sort the models in Swift.")
  }
}

extension StoreCoordinator {
  /// How the property that a key path of any model names stores its out-of-row value; nil if it has none.
  fileprivate func outOfRowValue(at keyPath: AnyKeyPath) -> OutOfRowValue? {
    guard let model = type(of: keyPath).rootType as? any PersistentModel.Type else { return nil }
    return layout(of: model)?.property(at: keyPath)?.outOfRowValue
  }
}
