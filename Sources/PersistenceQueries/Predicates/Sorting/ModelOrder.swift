import Foundation
import PersistenceRuntime
import PersistenceSupport

/// Sorts models in memory as a store does.
///
/// Reads each value once, not per comparison. Unordered values, such as NaN, are where a store has them. The sort is
/// stable.
package struct ModelOrder<T: PersistentModel> {
  package let criteria: [SortDescriptor<T>]

  package init(criteria: [SortDescriptor<T>]) {
    self.criteria = criteria
  }

  package func sorted(_ models: [T]) -> [T] {
    guard models.count > 1, !criteria.isEmpty else { return models }
    let keys = criteria.map { (keys: self.keys(of: models, for: $0), isDescending: $0.order == .reverse) }
    let order = models.indices.sorted { left, right in
      for (keys, isDescending) in keys {
        let comparison = keys.compare(left, right)
        if comparison != 0 { return (comparison < 0) != isDescending }
      }
      return left < right
    }
    return order.map { models[$0] }
  }

  private func keys(of models: [T], for criterion: SortDescriptor<T>) -> any SortKeys {
    guard let keyPath = criterion.keyPath else { return DescriptorKeys(models: models, criterion: criterion) }
    let values = PropertyValues(models: models, keyPath: keyPath)
    if let textOrder = criterion.stringComparator?.textOrder, let texts = values.all(String.self) {
      return TextKeys(texts: texts, order: textOrder)
    }
    return values.keys ?? DescriptorKeys(models: models, criterion: criterion)
  }
}

/// The sort keys of models for one criterion.
package protocol SortKeys {
  /// Negative, zero or positive, as the first model orders before, with or after the second in ascending order.
  func compare(_ left: Int, _ right: Int) -> Int
}

/// Compares by the descriptor itself, for values without another comparison.
private struct DescriptorKeys<T: PersistentModel>: SortKeys {
  private let models: [T]
  // An array of one: optimised code with an inline descriptor refers to a private type of Foundation, and does not
  // link.
  private let forward: [SortDescriptor<T>]

  init(models: [T], criterion: SortDescriptor<T>) {
    self.models = models
    // The caller applies the direction.
    var forward = [criterion]
    forward[0].order = .forward
    self.forward = forward
  }

  func compare(_ left: Int, _ right: Int) -> Int { forward.compare(models[left], models[right]).rawValue }
}
