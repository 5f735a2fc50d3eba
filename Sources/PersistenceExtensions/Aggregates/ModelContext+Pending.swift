import PersistenceContext
import PersistenceRuntime

extension ModelContext {
  /// The changed and new models whose unsaved values match the predicate of a fetch.
  func pendingModels<T: PersistentModel>(matching plan: FetchPlan<T>) throws -> [T] {
    let family = family(of: plan.map)
    return try (family.flatMap(\.livingChanged) + family.flatMap(\.livingInserted))
      .map { unsafe unsafeDowncast($0, to: T.self) }.filter(plan.matches)
  }

  /// The keys of the rows that the store must leave out of an aggregate. Their models are deleted, or have unsaved
  /// changes and are evaluated in memory instead.
  func judgedInMemory(of map: IdentityMap) -> [Int64] {
    guard hasPending(map) else { return [] }
    return family(of: map).flatMap { $0.map.keys(of: $0.changed) + $0.map.keys(of: $0.deleted) } + map.batchDeletedKeys
  }
}

extension FetchSelection {
  /// The selection without the rows that have the given keys.
  func excluding(_ keys: [Int64]) -> FetchSelection {
    guard !keys.isEmpty else { return self }
    var tree = QueryTree()
    if case .matching(let own) = self { tree = own }
    let isAll = tree.nodes.isEmpty
    tree.append(list: keys.map(QueryValue.integer))
    tree.append(.key)
    tree.append(.containsValue)
    tree.append(.not)
    if !isAll { tree.append(.and) }
    return .matching(tree)
  }
}

extension AggregateRequest {
  /// Returns true if an operand reads rows of related models with a subquery. A subquery does not name the types of
  /// these models, so it is unknown whether they have unsaved changes.
  var readsOtherRows: Bool {
    (columns.compactMap(\.operand) + (group.map { [$0] } ?? [])).contains { operand in
      if case .tree(let tree) = operand { !tree.rows.isEmpty } else { false }
    }
  }

  /// The types of the models whose rows the operands read through relationships.
  func relatedTypes(in store: StoreCoordinator) -> [any PersistentModel.Type] {
    let operands = columns.compactMap(\.operand) + (group.map { [$0] } ?? [])
    let names = operands.flatMap { operand in
      if case .column(let term) = operand { term.steps.map(\.destination) } else { [] as [String] }
    }
    return names.compactMap { store.layout(named: $0)?.modelType }
  }
}
