import Foundation
import PersistenceRuntime

/// Which models of a type to fetch, in which order.
///
/// ```swift
/// var descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 3 }, sortBy: [SortDescriptor(\.name)])
/// descriptor.fetchLimit = 20
/// // SELECT … FROM "Trip" WHERE "days" > ? ORDER BY "name", "_osd_key" LIMIT ?
/// ```
public struct FetchDescriptor<T: PersistentModel>: @unchecked Sendable {
  // Unchecked, as Apple's: key paths and sort descriptors are values that nobody mutates.

  /// The models that are meant; nil for all.
  // Written out, because `Predicate<T>?` would begin as nil, and what an initialiser gives would be a second assignment.
  public var predicate: Optional<Predicate<T>>
  /// The order; after it the order in which the models were saved decides.
  public var sortBy: [SortDescriptor<T>]
  /// The most models to return; nil for all.
  public var fetchLimit: Int?
  /// How many models to leave out at the beginning.
  public var fetchOffset: Int?
  /// Whether changes that are not saved yet count.
  public var includePendingChanges: Bool
  /// The properties to read with the fetch; the others are read when they are touched. Empty for all.
  public var propertiesToFetch: [PartialKeyPath<T>]
  /// The relationships whose models are read with the fetch.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>]

  public init(predicate: consuming Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
    self.fetchLimit = nil
    self.fetchOffset = nil
    self.includePendingChanges = true
    self.propertiesToFetch = []
    self.relationshipKeyPathsForPrefetching = []
  }

  /// The first models of an order: as the other initialiser, with the most models to return. Ours, not Apple's.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = [], fetchLimit: Int?) {
    self.init(predicate: predicate, sortBy: sortBy)
    self.fetchLimit = fetchLimit
  }
}
