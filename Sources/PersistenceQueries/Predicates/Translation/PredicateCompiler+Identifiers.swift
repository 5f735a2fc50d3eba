// Translates persistent identifiers in comparisons to primary keys. The other operands determine the keys' entity.

import PersistenceRuntime

/// The primary keys and persistent identifiers among the operands of the comparison that is being translated.
struct IdentifierScope {
  /// Whether operands contain identifiers that are not yet replaced by keys.
  var hasIdentifiers = false
  /// The entity whose primary keys are operands; for several entities of one hierarchy, the topmost one.
  var keyEntity: String?
  /// Whether primary keys of several hierarchies are operands. Such keys cannot be compared with each other.
  var mixesHierarchies = false
}

extension PredicateCompiler {
  /// Begins a nested comparison. Returns the keys and identifiers of the enclosing comparison.
  mutating func beginComparison() -> IdentifierScope {
    let outer = identifiers
    identifiers = IdentifierScope()
    return outer
  }

  /// Ends a comparison. The enclosing comparison resolves the remaining identifiers.
  mutating func endComparison(in outer: IdentifierScope) {
    let isUnresolved = identifiers.hasIdentifiers
    identifiers = outer
    if isUnresolved { identifiers.hasIdentifiers = true }
  }

  /// Records that primary keys of an entity are operands. Identifiers in the comparison become keys of this entity.
  mutating func noteKeys(of name: String) {
    guard let former = identifiers.keyEntity, former != name else {
      identifiers.keyEntity = name
      return
    }
    if isSuperentity(name, of: former) {
      identifiers.keyEntity = name
    } else if !isSuperentity(former, of: name) {
      identifiers.mixesHierarchies = true
    }
  }

  private func isSuperentity(_ name: String, of other: String) -> Bool {
    layout(named: other)?.inheritance?.superentityNames.contains(name) == true
      || layout(named: name)?.inheritance?.subentities.contains(where: { $0.name == other }) == true
  }

  /// Finds an entity. Without a directory, only the hierarchy of the queried entity is known, which suffices for casts.
  private func layout(named name: String) -> EntityLayout? {
    entity.family.first { $0.name == name } ?? directory?.layout(named: name)
  }

  // MARK: Comparing

  /// Throws if the comparison has keys of several hierarchies, because rows of two hierarchies may have the same key.
  func requireOneHierarchy() throws(UntranslatableExpression) {
    guard !identifiers.mixesHierarchies else {
      throw UntranslatableExpression("identifiers of \(identifiers.keyEntity ?? entity.name) and of another entity")
    }
  }

  /// Replaces the identifiers in a comparison by primary keys. Throws if no operand determines the entity of the keys.
  ///
  /// - Parameter isNilTest: Whether the comparison is with nil, so that the values of the identifiers are irrelevant.
  mutating func resolveComparison(
    from start: QueryTree.Position, isNilTest: Bool = false
  ) throws(UntranslatableExpression) {
    if !isNilTest { try requireOneHierarchy() }
    guard identifiers.hasIdentifiers else { return }
    guard identifiers.keyEntity != nil || isNilTest else {
      throw UntranslatableExpression("identifiers that are not compared with a model's")
    }
    try resolveIdentifiers(from: start)
  }

  /// Replaces the identifiers in the nodes from `start` on by primary keys of ``IdentifierScope/keyEntity``; if it is
  /// nil, of the queried entity. An identifier of another entity or store becomes -1, which is never a key.
  mutating func resolveIdentifiers(from start: QueryTree.Position) throws(UntranslatableExpression) {
    guard identifiers.hasIdentifiers else { return }
    // Only the custom store itself knows which row an identifier belongs to.
    if storeEntity?.hasOwnIdentifiers == true {
      throw UntranslatableExpression("identifiers of a store of the program")
    }
    try requireOneHierarchy()
    let name = identifiers.keyEntity ?? entity.name
    let layout = layout(named: name)
    let store = storeEntity?.store
    changeValues(from: start) { Self.resolved($0, name, layout, store: store) }
    identifiers.hasIdentifiers = false
  }

  private static func resolved(
    _ value: QueryValue, _ name: String, _ layout: EntityLayout?, store: String?
  ) -> QueryValue {
    switch value {
    case .identifier(let owner, let key):
      let isHere = owner.name == name || layout?.isRelative(named: owner.name) == true
      return .integer(isHere && store.map { $0 == owner.store } ?? true ? key : -1)
    case .list(let elements):
      guard elements.hasIdentifiers else { return value }
      return .list(elements.map { resolved($0, name, layout, store: store) })
    default: return value
    }
  }

  /// Evaluates a comparison of two constants if one is an identifier, and appends the result. The identifier cannot be
  /// replaced by a key, because no operand determines the entity. Returns false if no operand is an identifier.
  mutating func replaceIdentifiers(from start: QueryTree.Position, by truth: @autoclosure () -> Bool?) -> Bool {
    let operands = cut(from: start)
    guard operands.values.contains(where: \.mayBeIdentifier), let truth = truth() else {
      append(operands)
      return false
    }
    append(.truth(truth))
    identifiers.hasIdentifiers = false
    return true
  }
}

extension QueryValue {
  /// Whether the value is an identifier, or -1 for an identifier without a row.
  fileprivate var mayBeIdentifier: Bool {
    switch self {
    case .identifier, .integer(-1): true
    case .list(let elements): elements.contains(where: \.mayBeIdentifier)
    default: false
    }
  }
}

extension [QueryValue] {
  /// Whether the elements are identifiers. This is decided by the first element other than nil and -1 (an identifier
  /// without a row), because any list may contain nil and -1.
  var hasIdentifiers: Bool {
    let telling = first { value in
      switch value {
      case .null, .integer(-1): false
      default: true
      }
    }
    if case .identifier? = telling { return true }
    return false
  }
}
