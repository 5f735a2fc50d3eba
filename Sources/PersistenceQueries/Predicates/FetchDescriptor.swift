import Foundation
import PersistenceRuntime

/// Describes a fetch: the models, their order and the data that is read with them. Apple's type.
///
/// ```swift
/// var descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 3 }, sortBy: [SortDescriptor(\.name)])
/// descriptor.fetchLimit = 20
/// // SELECT … FROM "Trip" WHERE "days" > ? ORDER BY "name", "_osd_key" LIMIT ?
/// ```
public struct FetchDescriptor<T: PersistentModel>: @unchecked Sendable {
  // Unchecked, the same as Apple's: key paths and sort descriptors are immutable values.

  /// The condition; nil for all models.
  // Not written `Predicate<T>?`, because such a property would first be initialised to nil, and thus assigned twice.
  public var predicate: Optional<Predicate<T>>
  /// The sort order. Models that are equal by all descriptors have the order in which they were first saved.
  public var sortBy: [SortDescriptor<T>]
  /// The maximum number of models; nil for no limit.
  public var fetchLimit: Int?
  /// The number of models to skip; nil for none.
  public var fetchOffset: Int?
  /// Whether the fetch includes unsaved changes. The default is true.
  public var includePendingChanges: Bool
  /// The properties to read. Other properties are read on first access. Empty for all properties.
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

extension FetchDescriptor: Equatable {
  /// Whether two descriptors describe the same fetch. Apple's.
  ///
  /// Predicates are equal if they have the same operators and key paths, and equal captured values. Predicates that are
  /// written differently are not equal, even if they have the same results. Neither are predicates whose captured
  /// values cannot be compared.
  ///
  /// - Parameters:
  ///   - lhs: A descriptor.
  ///   - rhs: Another descriptor.
  public static func == (lhs: FetchDescriptor, rhs: FetchDescriptor) -> Bool {
    lhs.fetchLimit == rhs.fetchLimit && lhs.fetchOffset == rhs.fetchOffset
      && lhs.includePendingChanges == rhs.includePendingChanges && lhs.propertiesToFetch == rhs.propertiesToFetch
      && lhs.relationshipKeyPathsForPrefetching == rhs.relationshipKeyPathsForPrefetching && lhs.sortBy == rhs.sortBy
      && PredicateComparison.areEqual(lhs.predicate, rhs.predicate)
  }
}

extension FetchDescriptor {
  /// The cached translation of the predicate.
  package func templateMemory(of entity: EntityLayout) -> TemplateMemory.Memory {
    guard let predicate else { return .nothing }
    return PredicateTranslator.memory(of: predicate, entity: entity)
  }
}

/// The results of a fetch, read in batches on access. Apple's type.
///
/// The fetch reads only the keys of the results, in their order, 8 bytes each. Accessing an element reads its batch; at
/// most the last two batches stay in memory. If an element's row has been deleted since, the element is a deleted
/// model.
///
/// Not Sendable: the collection retains the context that it reads with.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  /// The position of a result, from 0.
  public typealias Index = Int
  /// The positions of all results.
  public typealias Indices = Range<Int>

  private let read: (Int) -> Element
  /// Always zero.
  public let startIndex = 0
  /// The number of results.
  public let endIndex: Int

  /// - Parameter read: Returns the element at a position.
  package init(count: Int, read: @escaping (Int) -> Element) {
    self.endIndex = count
    self.read = read
  }

  /// The result at a position. May read a batch of rows.
  ///
  /// - Parameter position: The position.
  public subscript(position: Int) -> Element { read(position) }
}
