import Foundation
import PersistenceContainer
import PersistenceContext
import PersistenceQueries
import PersistenceRuntime

/// How results are divided into sections: the property with the titles, and the order of the titles.
struct SectionKey<Element: PersistentModel, SectionTitle: Hashable> {
  let keyPath: PartialKeyPath<Element>
  let title: (Element) -> SectionTitle
  /// Contains one descriptor. It is an array, because copying a single descriptor needs symbols that Foundation does
  /// not export.
  let order: [SortDescriptor<Element>]
}

extension SectionKey where SectionTitle == String {
  init(_ keyPath: KeyPath<Element, String>) {
    // Unsafe: a descriptor requires a Sendable key path. The observer uses this key path in one isolation domain only.
    let sendable = unsafe unsafeBitCast(keyPath, to: (any KeyPath<Element, String> & Sendable).self)
    self.init(
      keyPath: keyPath, title: { $0[keyPath: keyPath] }, order: [SortDescriptor(sendable, comparator: .lexical)])
  }

  /// Models whose title is nil are in the section with the empty title. Nil and "" are next to each other in the order.
  init(_ keyPath: KeyPath<Element, String?>) {
    // Unsafe, for the same reason as in the initialiser for a non-optional title.
    let sendable = unsafe unsafeBitCast(keyPath, to: (any KeyPath<Element, String?> & Sendable).self)
    self.init(
      keyPath: keyPath, title: { $0[keyPath: keyPath] ?? "" }, order: [SortDescriptor(sendable, comparator: .lexical)])
  }
}

extension ResultsObserver where SectionTitle == Never {
  /// Observes a fetch. Apple's.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: The fetch.
  ///   - modelContext: The context. Use the observer only on the context's actor or thread.
  ///   - isolation: The actor on which the observer publishes new results.
  /// - Throws: `SwiftDataError` that the predicate, the order or the store causes.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, section: nil, in: modelContext, isolation: isolation)
  }

  /// Observes a fetch. Apple's.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: The fetch.
  ///   - modelContainer: The container, for which the observer creates a context of its own.
  ///   - isolation: The actor on which the observer publishes new results.
  /// - Throws: `SwiftDataError` that the predicate, the order or the store causes.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, section: nil, in: ModelContext(modelContainer), isolation: isolation)
  }

  /// Observes a fetch, given by its condition and its order. Apple's.
  ///
  /// - Parameters:
  ///   - filterBy: The condition; nil for all models.
  ///   - sortBy: The order.
  ///   - modelContext: The context. Use the observer only on the context's actor or thread.
  ///   - isolation: The actor on which the observer publishes new results.
  /// - Throws: `SwiftDataError` that the predicate, the order or the store causes.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), section: nil, in: modelContext, isolation: isolation)
  }

  /// Observes a fetch, given by its condition and its order. Apple's.
  ///
  /// - Parameters:
  ///   - filterBy: The condition; nil for all models.
  ///   - sortBy: The order.
  ///   - modelContainer: The container, for which the observer creates a context of its own.
  ///   - isolation: The actor on which the observer publishes new results.
  /// - Throws: `SwiftDataError` that the predicate, the order or the store causes.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), section: nil, in: ModelContext(modelContainer),
      isolation: isolation)
  }
}

extension ResultsObserver where SectionTitle == String {
  /// Observes a fetch in sections. Apple's.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: The fetch.
  ///   - sectionBy: The key path to the titles of sections.
  ///   - modelContext: The context. Use the observer only on the context's actor or thread.
  ///   - isolation: The actor on which the observer publishes new results.
  /// - Throws: `SwiftDataError` that the predicate, the order or the store causes.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, section: SectionKey(sectionBy), in: modelContext, isolation: isolation)
  }

  /// Observes a fetch in sections. Apple's.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: The fetch.
  ///   - sectionBy: The key path to the titles of sections.
  ///   - modelContainer: The container, for which the observer creates a context of its own.
  ///   - isolation: The actor on which the observer publishes new results.
  /// - Throws: `SwiftDataError` that the predicate, the order or the store causes.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, section: SectionKey(sectionBy), in: ModelContext(modelContainer), isolation: isolation)
  }

  /// Observes a fetch in sections, given by its condition and its order. Apple's.
  ///
  /// - Parameters:
  ///   - filterBy: The condition; nil for all models.
  ///   - sortBy: The order.
  ///   - sectionBy: The key path to the titles of sections.
  ///   - modelContext: The context. Use the observer only on the context's actor or thread.
  ///   - isolation: The actor on which the observer publishes new results.
  /// - Throws: `SwiftDataError` that the predicate, the order or the store causes.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), section: SectionKey(sectionBy), in: modelContext,
      isolation: isolation)
  }

  /// Observes a fetch in sections, given by its condition and its order. Apple's.
  ///
  /// - Parameters:
  ///   - filterBy: The condition; nil for all models.
  ///   - sortBy: The order.
  ///   - sectionBy: The key path to the titles of sections.
  ///   - modelContainer: The container, for which the observer creates a context of its own.
  ///   - isolation: The actor on which the observer publishes new results.
  /// - Throws: `SwiftDataError` that the predicate, the order or the store causes.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), section: SectionKey(sectionBy),
      in: ModelContext(modelContainer), isolation: isolation)
  }

  /// Observes a fetch in sections, some of whose titles are nil. Apple's.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: The fetch.
  ///   - sectionBy: The key path to the titles of sections. For nil, the title is the empty string.
  ///   - modelContext: The context. Use the observer only on the context's actor or thread.
  ///   - isolation: The actor on which the observer publishes new results.
  /// - Throws: `SwiftDataError` that the predicate, the order or the store causes.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, section: SectionKey(sectionBy), in: modelContext, isolation: isolation)
  }

  /// Observes a fetch in sections, some of whose titles are nil. Apple's.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: The fetch.
  ///   - sectionBy: The key path to the titles of sections. For nil, the title is the empty string.
  ///   - modelContainer: The container, for which the observer creates a context of its own.
  ///   - isolation: The actor on which the observer publishes new results.
  /// - Throws: `SwiftDataError` that the predicate, the order or the store causes.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      fetchDescriptor, section: SectionKey(sectionBy), in: ModelContext(modelContainer), isolation: isolation)
  }

  /// Observes a fetch in sections, some of whose titles are nil, given by its condition and its order. Apple's.
  ///
  /// - Parameters:
  ///   - filterBy: The condition; nil for all models.
  ///   - sortBy: The order.
  ///   - sectionBy: The key path to the titles of sections. For nil, the title is the empty string.
  ///   - modelContext: The context. Use the observer only on the context's actor or thread.
  ///   - isolation: The actor on which the observer publishes new results.
  /// - Throws: `SwiftDataError` that the predicate, the order or the store causes.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), section: SectionKey(sectionBy), in: modelContext,
      isolation: isolation)
  }

  /// Observes a fetch in sections, some of whose titles are nil, given by its condition and its order. Apple's.
  ///
  /// - Parameters:
  ///   - filterBy: The condition; nil for all models.
  ///   - sortBy: The order.
  ///   - sectionBy: The key path to the titles of sections. For nil, the title is the empty string.
  ///   - modelContainer: The container, for which the observer creates a context of its own.
  ///   - isolation: The actor on which the observer publishes new results.
  /// - Throws: `SwiftDataError` that the predicate, the order or the store causes.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), section: SectionKey(sectionBy),
      in: ModelContext(modelContainer), isolation: isolation)
  }
}
