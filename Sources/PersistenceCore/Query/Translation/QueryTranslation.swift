import Foundation

/// A translation under way: the tree so far, and what the variables in it stand for.
package struct QueryTranslation {
  package let entity: EntityLayout
  /// The entity in its store; nil where a translation is not for one store.
  private let storeEntity: StoreEntity?
  package private(set) var tree = QueryTree()
  /// Whether a composite property was mentioned: then nodes may stand for several columns.
  private(set) var mentionsComposites = false
  /// The variable that is the model.
  private let model: PredicateExpressions.VariableID
  private var bindings: [VariableBinding] = []
  /// The variables that are the model under another type, with the entity of that type.
  private var casts: [(variable: PredicateExpressions.VariableID, member: Int)] = []

  package init(entity: EntityLayout, storeEntity: StoreEntity? = nil, model: PredicateExpressions.VariableID) {
    self.entity = entity
    self.storeEntity = storeEntity
    self.model = model
  }

  package mutating func append(_ node: QueryNode) {
    tree.append(node)
  }

  /// Appends a composite property, for an operator or a member to replace.
  mutating func appendComposite(_ position: Int) {
    mentionsComposites = true
    tree.append(.composite(property: position, part: 0))
  }

  package mutating func append(_ value: QueryValue) {
    tree.append(resolved(value))
  }

  package mutating func append(list: [QueryValue]) {
    tree.append(list: list.map(resolved))
  }

  /// An identifier as the key of its row. A model of another entity or store is none of the rows here, whatever its
  /// key, and no row has a negative key.
  private func resolved(_ value: QueryValue) -> QueryValue {
    guard case .identifier(let owner, let key) = value else { return value }
    var isHere = storeEntity.map { $0 == owner } ?? (owner.name == entity.name)
    if !isHere, entity.isRelative(named: owner.name) { isHere = storeEntity.map { $0.store == owner.store } ?? true }
    return .integer(isHere ? key : -1)
  }

  package mutating func append(_ fragment: QueryFragment) {
    tree.append(fragment)
  }

  /// The place in the family of the entity that a variable is the model of; nil when it is another value.
  package func member(of variable: PredicateExpressions.VariableID) -> Int? {
    if variable == model { return 0 }
    return casts.last { $0.variable == variable }?.member
  }

  /// Runs `body` while a variable stands for the model, cast to an entity of the family.
  package mutating func casting(
    _ variable: PredicateExpressions.VariableID, to member: Int,
    _ body: (inout QueryTranslation) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) {
    casts.append((variable, member))
    try body(&self)
    casts.removeLast()
  }

  /// What `body` appends, taken off the tree again.
  package mutating func fragment(
    _ body: (inout QueryTranslation) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) -> QueryFragment {
    let start = tree.end
    try body(&self)
    return tree.cut(from: start)
  }

  /// Takes off everything from a place on.
  package mutating func cut(from start: QueryTree.Position) -> QueryFragment {
    tree.cut(from: start)
  }
}

// MARK: Variables

/// What a variable other than the model stands for.
private struct VariableBinding {
  let variable: PredicateExpressions.VariableID
  let fragment: QueryFragment
  var useCount = 0
}

extension QueryTranslation {
  /// Runs `body` while a variable stands for a fragment, and returns how often it was used.
  package mutating func binding(
    _ variable: PredicateExpressions.VariableID, to fragment: QueryFragment,
    _ body: (inout QueryTranslation) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) -> Int {
    bindings.append(VariableBinding(variable: variable, fragment: fragment))
    try body(&self)
    return bindings.removeLast().useCount
  }

  /// Appends what a variable stands for; false when it stands for nothing that is a value.
  package mutating func append(_ variable: PredicateExpressions.VariableID) -> Bool {
    guard let index = bindings.lastIndex(where: { $0.variable == variable }) else { return false }
    bindings[index].useCount += 1
    tree.append(bindings[index].fragment)
    return true
  }
}
