import Foundation
import PersistenceRuntime

/// A translation under way: the tree so far, and what the variables in it stand for.
package struct PredicateCompiler {
  package let entity: EntityLayout
  /// The entity in its store; nil where a translation is not for one store.
  private let storeEntity: StoreEntity?
  /// Knows other entities; nil where a query must not reach beyond the one that is asked about.
  let directory: (any EntityDirectory)?
  package private(set) var tree = QueryTree()
  /// Whether a composite property was mentioned: then nodes may stand for several columns.
  private(set) var mentionsComposites = false
  /// The entities of the rows that the tree lists; nil for elements of lists.
  private(set) var rowEntities: [EntityLayout?] = []
  /// The variable that is the model.
  private let model: PredicateExpressions.VariableID
  private var bindings: [VariableBinding] = []
  /// Whether there are identifiers that are not yet the keys of rows.
  private var hasIdentifiers = false
  /// The name of the entity whose keys were mentioned last.
  private var keyEntity: String?

  package init(
    entity: EntityLayout, storeEntity: StoreEntity? = nil, directory: (any EntityDirectory)? = nil,
    model: PredicateExpressions.VariableID
  ) {
    self.entity = entity
    self.storeEntity = storeEntity
    self.directory = directory
    self.model = model
  }

  package mutating func append(_ node: QueryNode) {
    tree.append(node)
  }

  /// Appends a part of a composite property, for an operator or a member to replace.
  mutating func appendComposite(_ position: Int, part: Int = 0, of row: Int32) {
    mentionsComposites = true
    tree.append(.value(of: row, .composite(property: Int32(position), part: Int32(part))))
  }

  package mutating func append(_ value: QueryValue) {
    if case .identifier = value { hasIdentifiers = true }
    tree.append(value)
  }

  package mutating func append(list: [QueryValue]) {
    if case .identifier? = list.first { hasIdentifiers = true }
    tree.append(list: list)
  }

  package mutating func append(_ fragment: QueryFragment) {
    tree.append(fragment)
  }

  /// What `body` appends, taken off the tree again.
  package mutating func fragment(
    _ body: (inout PredicateCompiler) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) -> QueryFragment {
    let start = tree.end
    try body(&self)
    return tree.cut(from: start)
  }

  /// Takes off everything from a place on.
  package mutating func cut(from start: QueryTree.Position) -> QueryFragment {
    tree.cut(from: start)
  }

  /// Runs `body`, and forgets all that it did when it fails.
  mutating func attempt(
    _ body: (inout PredicateCompiler) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) {
    let beginning = moment
    do {
      try body(&self)
    } catch {
      goBack(to: beginning)
      throw error
    }
  }

  /// How far a translation is.
  struct Moment {
    let position: QueryTree.Position
    fileprivate let rowCount: Int
    fileprivate let bindingCount: Int
  }

  var moment: Moment { Moment(position: tree.end, rowCount: rowEntities.count, bindingCount: bindings.count) }

  /// What was appended since, as a tree of its own; nil when it speaks of other rows.
  func ownTree(from moment: Moment) -> QueryTree? {
    rowEntities.count == moment.rowCount ? tree.part(from: moment.position) : nil
  }

  /// Forgets all that was done since.
  mutating func goBack(to moment: Moment) {
    tree.truncate(to: moment.position)
    rowEntities.removeLast(rowEntities.count - moment.rowCount)
    bindings.removeLast(bindings.count - moment.bindingCount)
  }
}

// MARK: Rows

extension PredicateCompiler {
  /// The entity of a row; nil for an element of a list.
  func entity(of row: Int32) -> EntityLayout? {
    row == 0 ? entity : rowEntities[Int(row) - 1]
  }

  /// The row that a to-one relationship leads to.
  mutating func toOneRow(_ row: QueryRow, of destination: EntityLayout) -> Int32 {
    let (number, isNew) = tree.toOneRow(row)
    if isNew { rowEntities.append(destination) }
    return number
  }

  mutating func append(_ row: QueryRow, of destination: EntityLayout?) -> Int32 {
    rowEntities.append(destination)
    return tree.append(row)
  }
}

// MARK: Identifiers

extension PredicateCompiler {
  /// Notes that keys of an entity were mentioned, which identifiers are then compared with.
  mutating func noteKeys(of entity: String) { keyEntity = entity }

  /// Makes identifiers from a place on the keys of rows of the entity whose keys they are compared with. A model of
  /// another entity or store is none of its rows, whatever its key, and no row has a negative key.
  mutating func settleIdentifiers(from start: QueryTree.Position) {
    guard hasIdentifiers else { return }
    let name = keyEntity ?? entity.name
    let layout = name == entity.name ? entity : directory?.layout(named: name)
    let store = storeEntity?.store
    tree.changeValues(from: start) { Self.settled($0, name, layout, store: store) }
    hasIdentifiers = false
    keyEntity = nil
  }

  private static func settled(
    _ value: QueryValue, _ name: String, _ layout: EntityLayout?, store: String?
  ) -> QueryValue {
    switch value {
    case .identifier(let owner, let key):
      let isHere = owner.name == name || layout?.isRelative(named: owner.name) == true
      return .integer(isHere && store.map { $0 == owner.store } ?? true ? key : -1)
    case .list(let elements):
      guard case .identifier? = elements.first(where: { !$0.isNull }) else { return value }
      return .list(elements.map { settled($0, name, layout, store: store) })
    default: return value
    }
  }
}

// MARK: Variables

/// What a variable other than the model stands for.
private struct VariableBinding {
  enum Meaning {
    case fragment(QueryFragment)
    case model(ModelReference)
  }

  let variable: PredicateExpressions.VariableID
  let meaning: Meaning
  var useCount = 0
}

extension PredicateCompiler {
  /// Runs `body` while a variable stands for a fragment, and returns how often it was used.
  @discardableResult
  package mutating func binding(
    _ variable: PredicateExpressions.VariableID, to fragment: QueryFragment,
    _ body: (inout PredicateCompiler) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) -> Int {
    bindings.append(VariableBinding(variable: variable, meaning: .fragment(fragment)))
    try body(&self)
    return bindings.removeLast().useCount
  }

  /// Runs `body` while a variable stands for a model, or for the models of a relationship.
  package mutating func binding<Result>(
    _ variable: PredicateExpressions.VariableID, to model: ModelReference,
    _ body: (inout PredicateCompiler) throws(UntranslatableExpression) -> Result
  ) throws(UntranslatableExpression) -> Result {
    bindings.append(VariableBinding(variable: variable, meaning: .model(model)))
    let result = try body(&self)
    bindings.removeLast()
    return result
  }

  /// Makes a variable stand for the value of a node, until ``unbind(_:)``.
  mutating func bind(
    _ variable: PredicateExpressions.VariableID, to node: some TranslatableExpression
  ) throws(UntranslatableExpression) {
    if let model = try node.model(in: &self) {
      bindings.append(VariableBinding(variable: variable, meaning: .model(model)))
    } else {
      let fragment = try fragment { translation throws(UntranslatableExpression) in
        try node.translate(into: &translation)
      }
      bindings.append(VariableBinding(variable: variable, meaning: .fragment(fragment)))
    }
  }

  /// Forgets the variables that were bound last.
  mutating func unbind(_ count: Int) { bindings.removeLast(count) }

  /// Appends what a variable stands for; false when it stands for nothing that is a value.
  package mutating func append(_ variable: PredicateExpressions.VariableID) -> Bool {
    guard let index = bindings.lastIndex(where: { $0.variable == variable }),
      case .fragment(let fragment) = bindings[index].meaning
    else { return false }
    bindings[index].useCount += 1
    tree.append(fragment)
    return true
  }

  /// The model that a variable stands for; nil when it is another value.
  package func model(of variable: PredicateExpressions.VariableID) -> ModelReference? {
    if variable == model { return .root }
    guard let binding = bindings.last(where: { $0.variable == variable }), case .model(let model) = binding.meaning
    else { return nil }
    return model
  }
}
