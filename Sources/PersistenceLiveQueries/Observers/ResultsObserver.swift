import Foundation
import Observation
import PersistenceContainer
import PersistenceContext
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// Runs a fetch, and updates its results when the data changes. Apple's type.
///
/// ``results`` include unsaved changes of ``modelContext``, saves of other contexts and, within a tenth of a second,
/// saves of other processes. The fetch runs again only after a change of an entity or property that it reads. Observers
/// of this `Observable` object are notified only if the results differ.
///
/// Create and use the observer on the actor of its context: the main actor or a model actor. The observer publishes new
/// results on this actor, between two operations of the context. If the context belongs to no actor, the observer
/// publishes at the next operation of the context. Reading ``results`` runs a due fetch first, except during a save.
///
/// The observer stops when it is released. It retains its context, and the models that the program has accessed.
///
/// ```swift
/// let observer = try ResultsObserver<Trip, Never>(
///   filterBy: #Predicate { $0.days > 5 }, sortBy: [SortDescriptor(\.name)], modelContext: context)
/// withObservationTracking {
///   print(observer.results.map(\.name))
/// } onChange: {
///   print("other trips, or another order")
/// }
/// ```
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable {
  /// The context of the results. Apple's.
  public let modelContext: ModelContext

  private let registrar = ObservationRegistrar()
  private let title: ((Element) -> SectionTitle)?
  private let sectionOrder: [SortDescriptor<Element>]
  private let storedSectionBy: PartialKeyPath<Element>?
  private let changes: ObservedChanges
  private var storedDescriptor: FetchDescriptor<Element>
  private var rows: ObservedRows<Element>
  private var storedResults: FetchResultsCollection<Element>
  /// The sections that were last published; nil until the program reads ``sections``.
  private var layout: SectionLayout<SectionTitle>?
  private var storedSections: SectionedResults<Element, SectionTitle>?
  /// Whether the program has set ``results`` or ``sections``. Then the next run of the fetch publishes its results even
  /// if they have not changed.
  private var isReplaced = false
  private var isRefreshing = false
  /// Whether the fetch must run again, because unsaved changes, a new condition or a new order may change the results.
  private var isOutdated = false
  /// Whether unsaved changes have been reported since the last ``takeTurn()``. If so, the next ``takeTurn()`` runs the
  /// fetch again, even if the program has read ``results`` in between, which also runs the fetch.
  private var needsTurn = false

  /// - Parameters:
  ///   - descriptor: The fetch. The order of the sections is added to it.
  ///   - section: The property with the titles of the sections, and their order; nil without sections.
  init(
    _ descriptor: FetchDescriptor<Element>, section: SectionKey<Element, SectionTitle>?, in context: ModelContext,
    isolation: (any Actor)?
  ) throws {
    modelContext = context
    title = section?.title
    sectionOrder = section?.order ?? []
    storedSectionBy = section?.keyPath
    var descriptor = descriptor
    descriptor.sortBy = Self.order(descriptor.sortBy, by: section?.keyPath, section?.order ?? [])
    storedDescriptor = descriptor
    context.live(in: isolation)
    (changes, rows) = try Self.begin(descriptor, in: context)
    storedResults = rows.results
    context.observe(with: self)
  }

  deinit { changes.end() }

  // MARK: Apple's properties

  /// The models of the fetch, in its order. Apple's. Models are read in batches when they are accessed.
  ///
  /// A program may set other results. The observer replaces them when the fetch runs again.
  public var results: FetchResultsCollection<Element> {
    get {
      refreshIfNeeded()
      registrar.access(self, keyPath: \.results)
      return storedResults
    }
    set {
      isReplaced = true
      registrar.withMutation(of: self, keyPath: \.results) { storedResults = newValue }
    }
  }

  /// The results in sections; nil for an observer without ``sectionBy``. Apple's. Reading this property reads all
  /// models.
  ///
  /// Models whose title is nil are in the section with the empty title. If a program sets other sections, the observer
  /// replaces them when the fetch runs again.
  public var sections: SectionedResults<Element, SectionTitle>? {
    get {
      refreshIfNeeded()
      registrar.access(self, keyPath: \.sections)
      if storedSections == nil, let title { makeSections(by: title) }
      return storedSections
    }
    set {
      isReplaced = true
      registrar.withMutation(of: self, keyPath: \.sections) { storedSections = newValue }
    }
  }

  /// The fetch. Apple's. Its order begins with the order of the sections.
  public var fetchDescriptor: FetchDescriptor<Element> {
    registrar.access(self, keyPath: \.fetchDescriptor)
    return storedDescriptor
  }

  /// The condition; nil for all models. Apple's. Setting it runs the fetch at once.
  ///
  /// If the fetch cannot evaluate the condition, the error is logged and the results stay unchanged.
  public var filterBy: Predicate<Element>? {
    get { fetchDescriptor.predicate }
    set { change { $0.predicate = newValue } }
  }

  /// The order. Apple's. Setting it runs the fetch at once.
  ///
  /// The observer puts the order of the sections first, unless the new order begins with ``sectionBy``. Models that
  /// compare equal are in the order in which they were first saved.
  public var sortBy: [SortDescriptor<Element>] {
    get { fetchDescriptor.sortBy }
    set { change { $0.sortBy = Self.order(newValue, by: storedSectionBy, sectionOrder) } }
  }

  /// The key path to the titles of sections; nil without sections. Apple's.
  public var sectionBy: PartialKeyPath<Element>? { storedSectionBy }

  /// The model at an index path. Apple's.
  ///
  /// - Parameter indexPath: The position of the section, and the position of the model in the section.
  /// - Returns: The model; nil if the observer has no sections, or the results have no model at this index path.
  public func element(at indexPath: IndexPath) -> Element? {
    guard let sections, indexPath.count == 2, sections.indices.contains(indexPath[0]) else { return nil }
    let section = sections[indexPath[0]]
    return section.indices.contains(indexPath[1]) ? section[indexPath[1]] : nil
  }

  /// The index path of a model. Apple's.
  ///
  /// - Parameter element: A model of the context.
  /// - Returns: The position of its section, and the position of the model in the section; nil without sections, or if
  ///   the model is not among the results.
  public func indexPath(for element: Element) -> IndexPath? {
    guard let title, let sections, let position = rows.position(of: element),
      let index = sections.index(ofSectionTitled: title(element))
    else { return nil }
    return sections[index].positions.firstIndex(of: position).map { IndexPath(indexes: [index, $0]) }
  }

  // MARK: Running

  private static func begin(
    _ descriptor: FetchDescriptor<Element>, in context: ModelContext
  ) throws -> (ObservedChanges, ObservedRows<Element>) {
    let store = try context.requireIdentityMap(for: Element.self).store
    // The observer watches the store before the fetch runs, so that it misses no commit in between.
    let changes = ObservedChanges(try context.footprint(of: descriptor), of: context, in: store)
    do {
      return (changes, ObservedRows(try context.rows(of: descriptor), of: descriptor, in: context))
    } catch {
      changes.end()
      throw error
    }
  }

  private func change(_ body: (inout FetchDescriptor<Element>) -> Void) {
    registrar.withMutation(of: self, keyPath: \.fetchDescriptor) { body(&storedDescriptor) }
    do {
      changes.footprint = try modelContext.footprint(of: storedDescriptor)
    } catch {
      // `refreshIfNeeded()` runs the fetch again. The fetch fails with the same error, which is logged there.
      changes.footprint = .everything
    }
    isOutdated = true
    refreshIfNeeded()
  }

  private func refreshIfNeeded() {
    if isOutdated || changes.hasNews { refresh() }
  }

  /// Runs the fetch again, and publishes the differences.
  private func refresh() {
    guard !isRefreshing, modelContext.mayRefresh else { return }
    isRefreshing = true
    defer { isRefreshing = false }
    isOutdated = false
    changes.takeNews()
    do {
      let fetched = try modelContext.rows(of: storedDescriptor)
      publish(ObservedRows(fetched, of: storedDescriptor, in: modelContext))
    } catch {
      modelContext.logger.error(
        "a live query of \(Element.self) failed and keeps its results, the next change tries again: \(error)")
    }
  }

  private func publish(_ new: ObservedRows<Element>) {
    guard !isReplaced, new.fetched.isSame(as: rows.fetched) else {
      isReplaced = false
      new.takeModels(of: rows)
      return replace(by: new)
    }
    guard let title, let layout else { return keep(new) }
    let titles = SectionLayout(rows.results.lazy.map(title))
    if titles == layout { return keep(new) }
    registrar.withMutation(of: self, keyPath: \.sections) {
      self.layout = titles
      storedSections = titles.sections(of: storedResults)
    }
  }

  private func replace(by new: ObservedRows<Element>) {
    let titles = layout == nil ? nil : title.map { SectionLayout(new.results.lazy.map($0)) }
    registrar.willSet(self, keyPath: \.results)
    registrar.willSet(self, keyPath: \.sections)
    rows = new
    storedResults = new.results
    layout = titles
    storedSections = titles?.sections(of: storedResults)
    registrar.didSet(self, keyPath: \.sections)
    registrar.didSet(self, keyPath: \.results)
  }

  /// Replaces the old result by the new one, if the old result contains models and the new result contains only keys
  /// because the changes have been saved. The rows are the same, so nothing is published.
  private func keep(_ new: ObservedRows<Element>) {
    guard case .models = rows.fetched, case .keys = new.fetched else { return }
    new.takeModels(of: rows)
    rows = new
    storedResults = new.results
    storedSections = layout?.sections(of: storedResults)
  }

  private func makeSections(by title: (Element) -> SectionTitle) {
    let titles = SectionLayout(storedResults.lazy.map(title))
    layout = titles
    storedSections = titles.sections(of: storedResults)
  }

  /// Puts the order of the sections before the given order, unless the given order begins with the same key path.
  private static func order(
    _ order: [SortDescriptor<Element>], by keyPath: PartialKeyPath<Element>?, _ sectionOrder: [SortDescriptor<Element>]
  ) -> [SortDescriptor<Element>] {
    guard let keyPath, order.first?.keyPath != keyPath else { return order }
    return sectionOrder + order
  }
}

extension ResultsObserver: ContextObserver {
  package var footprint: Footprint { changes.footprint }

  package func noteChange() {
    isOutdated = true
    needsTurn = true
  }

  package func takeTurn() {
    guard needsTurn || isOutdated || changes.hasNews else { return }
    needsTurn = false
    refresh()
  }
}

@available(
  *, unavailable, message: "an observer of results stays where its context is used; create another one elsewhere"
)
extension ResultsObserver: @unchecked Sendable {}
