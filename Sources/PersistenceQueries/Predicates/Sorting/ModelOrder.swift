import Foundation
import PersistenceRuntime
import PersistenceSupport

/// The order of a descriptor, made in memory as a store makes it.
///
/// The values are read once for each model, and not for each comparison. What has no order, such as not-a-number, is
/// where the store has it, and models that are alike stay in the order in which they came.
package struct ModelOrder<T: PersistentModel> {
  package let criteria: [SortDescriptor<T>]

  package init(criteria: [SortDescriptor<T>]) {
    self.criteria = criteria
  }

  package func sorted(_ models: [T]) -> [T] {
    guard models.count > 1, !criteria.isEmpty else { return models }
    let keys = criteria.map { (keys: self.keys(of: models, for: $0), isDescending: $0.order == .reverse) }
    let places = models.indices.sorted { left, right in
      for (keys, isDescending) in keys {
        let comparison = keys.compare(left, right)
        if comparison != 0 { return (comparison < 0) != isDescending }
      }
      return left < right
    }
    return places.map { models[$0] }
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

/// What models are compared by.
package protocol SortKeys {
  /// Less than, equal to or greater than zero, as one model comes before, with or after another when ascending.
  func compare(_ left: Int, _ right: Int) -> Int
}

/// A comparison that only the descriptor itself can make.
private struct DescriptorKeys<T: PersistentModel>: SortKeys {
  private let models: [T]
  // One, in an array: optimised code that has a descriptor inline refers to a type that Foundation keeps to itself, and
  // programs do not link.
  private let forward: [SortDescriptor<T>]

  init(models: [T], criterion: SortDescriptor<T>) {
    self.models = models
    // The direction is the caller's.
    var forward = [criterion]
    forward[0].order = .forward
    self.forward = forward
  }

  func compare(_ left: Int, _ right: Int) -> Int { forward.compare(models[left], models[right]).rawValue }
}
