import Foundation
import PersistenceContext
import PersistenceHistory
import PersistenceQueries
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

// A fetch by the program queries the store. All other reads query the mirror (the cache of the store's rows), after the
// engine has fetched the rows that the mirror lacks.

extension CustomStoreEngine {
  func fetch(
    _ request: FetchRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    let base = base(of: transaction)
    guard let origin = request.origin as? any ModelFetch else {
      try prepare(request, in: transaction)
      return try mirror.fetch(request, in: base, body)
    }
    let keys = try keys(origin, request, in: transaction)
    var rows = FetchRequest(entity: request.entity, selection: .keys(keys), mask: request.mask)
    rows.includesSubentities = request.includesSubentities
    try mirror.fetch(rows, in: base) { source in
      let copies = try DrainedRows(source, columnCount: rows.columnCount)
      copies.order(by: keys)
      try withExtendedLifetime(copies) { try body(copies.rows(like: source)) }
    }
  }

  func keys(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> [Int64] {
    guard let origin = request.origin as? any ModelFetch else {
      try prepare(request, in: transaction)
      return try mirror.keys(request, in: base(of: transaction))
    }
    let found = try identifiers(origin, request, in: transaction) ?? keys(origin, request, in: transaction)
    if origin.isDeletion { note(MarkedDeletion(origin, request, found), by: origin.editor) }
    return found
  }

  func count(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> Int {
    guard let origin = request.origin as? any ModelFetch else {
      try prepare(request, in: transaction)
      return try mirror.count(request, in: base(of: transaction))
    }
    return try count(origin, request, in: transaction) ?? keys(origin, request, in: transaction).count
  }

  func explain(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> StatementExplanation {
    StatementExplanation(
      statement: "\(Store.self).fetch(DataStoreFetchRequest<\(request.entity.name)>)", bindings: [], steps: [])
  }

  func aggregate(
    _ request: AggregateRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    try load(reachable(from: request.entity), in: transaction, isForced: true)
    try mirror.aggregate(request, in: base(of: transaction), body)
  }

  func members(
    _ request: MemberRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    let owners: [Int64]? =
      switch request.owners {
      case .one(let owner): [owner]
      case .some(let owners): owners
      case .all: nil
      }
    try loadMembers(of: request.relationship, request.entity, owners: owners, in: transaction)
    try mirror.members(request, in: base(of: transaction), body)
  }

  func pairs(
    of relationship: RelationshipLayout, in entity: EntityLayout, owners: [Int64], transaction: (any StoreTransaction)?
  ) throws -> [RelatedPair] {
    // The snapshot of an owner contains its foreign keys and its lists.
    try loadRows(owners, of: entity, in: transaction)
    if relationship.storage != .column { try loadMembers(of: relationship, entity, owners: owners, in: transaction) }
    return try mirror.pairs(of: relationship, in: entity, owners: owners, transaction: base(of: transaction))
  }

  // MARK: Requirements of a read

  /// Fetches the rows that the mirror lacks and that a request to the mirror may read.
  func prepare(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws {
    switch request.selection {
    case .key(let key): try loadRows([key], of: request.entity, in: transaction)
    case .keys(let keys): try loadRows(keys, of: request.entity, in: transaction)
    case .all where request.sort.allSatisfy(\.steps.isEmpty):
      try load([request.entity], in: transaction, isForced: true)
    case .all, .matching: try load(reachable(from: request.entity), in: transaction, isForced: true)
    }
  }

  /// The entity, and all entities that its predicates and sort orders can reach through relationships.
  func reachable(from entity: EntityLayout) -> [EntityLayout] {
    var found: [EntityLayout] = []
    var queue = entity.family
    while let next = queue.popLast() {
      guard !found.contains(where: { $0 === next }) else { continue }
      found.append(next)
      queue += next.relationships.compactMap { layout($0.destination) }.flatMap(\.family)
    }
    return found
  }

  // MARK: Requests to the store

  /// The keys of the models that a fetch returns, as sorted by the store or, if the store declines to sort, by the
  /// mirror.
  func keys<Origin: ModelFetch>(
    _ origin: Origin, _ request: FetchRequest, in transaction: (any StoreTransaction)?
  ) throws -> [Int64] {
    var plain = request
    plain.origin = nil
    // The store does not know the changes of the open transaction, so the mirror evaluates the request.
    if let own = own(transaction) {
      try load(reachable(from: request.entity), in: own)
      return try mirror.keys(plain, in: own.base)
    }
    var question = StoreQuestion(origin, window: request)
    let found = try writing(in: nil) { base in
      let result = try access.run { try question.ask($0) }
      return try register(result, of: request.entity, in: base)
    }
    guard question.isDifferent || !request.includesSubentities else { return found }
    if question.filters || question.sorts { try loadRelated(plain, question) }
    if !question.filters { plain.selection = .all }
    if !question.sorts { plain.sort = [] }
    (plain.limit, plain.offset) = (nil, 0)
    let matching = try mirror.keys(plain, in: nil)
    let (first, second) = question.sorts ? (matching, Set(found)) : (found, Set(matching))
    let keys = first.filter(second.contains)
    guard question.isDifferent else { return keys }
    let rest = keys.dropFirst(request.offset)
    return Array(request.limit.map { rest.prefix($0) } ?? rest)
  }

  /// Fetches the rows of other entities that the predicate or the sort order reads in the mirror.
  private func loadRelated<T>(_ request: FetchRequest, _ question: StoreQuestion<T>) throws {
    let looksFurther =
      (question.sorts && request.sort.contains { !$0.steps.isEmpty })
      || (question.filters && request.selection.joinsRows)
    guard looksFurther else { return }
    let own = Set(request.entity.family.map(\.name))
    try load(reachable(from: request.entity).filter { !own.contains($0.name) }, in: nil, isForced: true)
  }

  /// The number of matching models according to the store's `fetchCount`; nil if the store declines to count.
  private func count<Origin: ModelFetch>(
    _ origin: Origin, _ request: FetchRequest, in transaction: (any StoreTransaction)?
  ) throws -> Int? {
    guard own(transaction) == nil, request.includesSubentities else { return nil }
    let question = StoreQuestion(origin, window: request)
    return try access.run { store in try StoreQuestion<Origin.T>.answer { try store.fetchCount(question.request) } }
  }

  /// The keys of the identifiers that the store's `fetchIdentifiers` returns; nil if the store declines the request.
  private func identifiers<Origin: ModelFetch>(
    _ origin: Origin, _ request: FetchRequest, in transaction: (any StoreTransaction)?
  ) throws -> [Int64]? {
    guard own(transaction) == nil, request.includesSubentities else { return nil }
    let question = StoreQuestion(origin, window: request)
    let found = try access.run { store in
      try StoreQuestion<Origin.T>.answer { try store.fetchIdentifiers(question.request) }
    }
    guard let found else { return nil }
    try contract.checkUnique(found, in: "the result of fetchIdentifiers(_:)")
    return try found.map { identifier in
      _ = try contract.check(identifier, isOneOf: request.entity.family, in: "the result of fetchIdentifiers(_:)")
      return table.key(of: identifier) ?? 0
    }
  }
}

/// A fetch request to a store. Records which of its parts the store declines, so that they are evaluated in memory.
struct StoreQuestion<T: PersistentModel> {
  private var descriptor: FetchDescriptor<T>
  private let editor: EditingState
  /// Whether the predicate is evaluated in memory, because the store has declined it.
  private(set) var filters = false
  /// Whether the models are sorted in memory, because the store has declined the sort order.
  private(set) var sorts = false

  init<Origin: ModelFetch>(_ origin: Origin, window request: FetchRequest) where Origin.T == T {
    descriptor = origin.descriptor
    editor = origin.editor ?? EditingState()
    // The context may evaluate a part of the descriptor itself, and has then changed the limit and the offset of the
    // request. The descriptor's own limit would cut off models that the context needs.
    descriptor.fetchLimit = request.limit
    descriptor.fetchOffset = request.offset == 0 ? nil : request.offset
  }

  /// Requests all models of an entity.
  init(everythingFor editor: EditingState?) {
    descriptor = FetchDescriptor<T>()
    self.editor = editor ?? EditingState()
  }

  /// Requests the models with these identifiers: `#Predicate { identifiers.contains($0.persistentModelID) }`.
  init(identifiers: Set<PersistentIdentifier>, for editor: EditingState?) {
    self.init(everythingFor: editor)
    descriptor.predicate = Predicate<T> { model in
      PredicateExpressions.SequenceContains(
        sequence: PredicateExpressions.Value(identifiers),
        element: PredicateExpressions.KeyPath(root: model, keyPath: \T.persistentModelID))
    }
  }

  /// Requests the models that a deletion by a predicate deletes.
  init<Origin: ModelFetch>(deletionOf origin: Origin, for editor: EditingState) where Origin.T == T {
    self.init(everythingFor: editor)
    descriptor.predicate = origin.descriptor.predicate
  }

  /// Whether the predicate or the sort order is evaluated in memory.
  var isDifferent: Bool { filters || sorts }

  var request: DataStoreFetchRequest<T> { DataStoreFetchRequest(descriptor: descriptor, editingState: editor) }

  /// Queries the store. If the store declines the predicate or the sort order, queries it again without this part.
  mutating func ask<Store: DataStore>(_ store: Store) throws -> DataStoreFetchResult<T, Store.Snapshot> {
    while true {
      do {
        return try store.fetch(request)
      } catch DataStoreError.preferInMemoryFilter where descriptor.predicate != nil {
        filters = true
        descriptor.predicate = nil
      } catch DataStoreError.preferInMemorySort where !descriptor.sortBy.isEmpty {
        sorts = true
        descriptor.sortBy = []
      }
      // The models are still to be filtered or sorted in memory, so the store must not apply the limit and the offset.
      descriptor.fetchLimit = nil
      descriptor.fetchOffset = nil
    }
  }

  /// The result of a call of the store; nil if the store declines the call.
  static func answer<Answer>(_ body: () throws -> Answer) throws -> Answer? {
    do {
      return try body()
    } catch DataStoreError.preferInMemoryFilter, DataStoreError.preferInMemorySort, DataStoreError.unsupportedFeature {
      return nil
    }
  }
}

extension FetchSelection {
  /// Whether the predicate reads rows of related models.
  fileprivate var joinsRows: Bool {
    if case .matching(let tree) = self { return !tree.rows.isEmpty }
    return false
  }
}
