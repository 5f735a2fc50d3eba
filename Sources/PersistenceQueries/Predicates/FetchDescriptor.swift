import Foundation
import PersistenceRuntime

/// Describes a fetch: the models, their order and what is read with them. Apple's type.
///
/// ```swift
/// var descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 3 }, sortBy: [SortDescriptor(\.name)])
/// descriptor.fetchLimit = 20
/// // SELECT … FROM "Trip" WHERE "days" > ? ORDER BY "name", "_osd_key" LIMIT ?
/// ```
public struct FetchDescriptor<T: PersistentModel>: @unchecked Sendable {
  // Unchecked, as Apple's: key paths and sort descriptors are immutable values.

  /// The condition; nil for all models.
  // `Optional<…>`, because a property of type `Predicate<T>?` is initialised to nil first, and assigned twice.
  public var predicate: Optional<Predicate<T>>
  /// The sort order. The order of the first saves is the last criterion.
  public var sortBy: [SortDescriptor<T>]
  /// The maximum number of models; nil for no limit.
  public var fetchLimit: Int?
  /// The number of models to skip; nil for none.
  public var fetchOffset: Int?
  /// Whether unsaved changes are taken into account. The default is true.
  public var includePendingChanges: Bool
  /// The properties to read; others are read on first access. Empty for all.
  public var propertiesToFetch: [PartialKeyPath<T>]
  /// The relationships whose models are fetched with the results.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>]

  /// Creates a descriptor.
  ///
  /// - Parameters:
  ///   - predicate: The condition; nil for all models.
  ///   - sortBy: The sort order.
  public init(predicate: consuming Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
    self.fetchLimit = nil
    self.fetchOffset = nil
    self.includePendingChanges = true
    self.propertiesToFetch = []
    self.relationshipKeyPathsForPrefetching = []
  }

  /// Creates a descriptor with a limit. Ours.
  ///
  /// - Parameters:
  ///   - predicate: The condition; nil for all models.
  ///   - sortBy: The sort order.
  ///   - fetchLimit: The maximum number of models; nil for no limit.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = [], fetchLimit: Int?) {
    self.init(predicate: predicate, sortBy: sortBy)
    self.fetchLimit = fetchLimit
  }
}
