import Foundation
import PersistenceRuntime

/// The state of the translation of a predicate: the query tree so far, and what the predicate's variables refer to.
package struct PredicateCompiler {
  package let entity: EntityLayout
  /// The entity with its store; nil if the translation does not depend on a store.
  let storeEntity: StoreEntity?
  /// Finds other entities; nil if the query must not read rows of related models.
  let directory: (any EntityDirectory)?
  package private(set) var tree = QueryTree()
  /// Whether a composite was appended, whose node represents several columns.
  private(set) var mentionsComposites = false
  /// The entities of the tree's rows; nil for elements of lists.
  private(set) var rowEntities: [EntityLayout?] = []
  /// The predicate's variable for the queried model.
  private let model: PredicateExpressions.VariableID
  private var bindings: [VariableBinding] = []
  /// The keys and identifiers of the comparison in progress.
  var identifiers = IdentifierScope()

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

  /// Appends a placeholder for a composite or a part of it. The next operator or member access replaces it by columns.
  mutating func appendComposite(_ position: Int, part: Int = 0, of row: Int32) {
    mentionsComposites = true
    tree.append(.value(of: row, .composite(property: Int32(position), part: Int32(part))))
  }

  package mutating func append(_ value: QueryValue) {
    if case .identifier = value { identifiers.hasIdentifiers = true }
    tree.append(value)
  }

  package mutating func append(list: [QueryValue], of format: ColumnFormat = .text) {
    if list.hasIdentifiers { identifiers.hasIdentifiers = true }
    tree.append(list: list, of: format)
  }

  package mutating func append(_ fragment: QueryFragment) {
    tree.append(fragment)
  }

  /// Replaces the values of the nodes from `start` on.
  mutating func changeValues(from start: QueryTree.Position, _ change: (QueryValue) -> QueryValue) {
    tree.changeValues(from: start, change)
  }

  /// Removes and returns the nodes that `body` appends.
  package mutating func fragment(
    _ body: (inout PredicateCompiler) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) -> QueryFragment {
    let start = tree.end
    try body(&self)
    return tree.cut(from: start)
  }

  /// Removes and returns the nodes from `start` on, with their values.
  package mutating func cut(from start: QueryTree.Position) -> QueryFragment {
    tree.cut(from: start)
  }

  /// Runs `body`, and reverts the changes of `body` if it throws.
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
    identifiers = beginning.identifiers
  }

  /// A checkpoint of a translation.
  struct Moment {
    let position: QueryTree.Position
    fileprivate let rowCount: Int
    fileprivate let bindingCount: Int
    fileprivate let identifiers: IdentifierScope
  }

  var moment: Moment {
    Moment(
      position: tree.end, rowCount: rowEntities.count, bindingCount: bindings.count, identifiers: identifiers)
  }

  /// A copy of the nodes appended since a checkpoint; nil if they read rows of related models.
  func ownTree(from moment: Moment) -> QueryTree? {
    rowEntities.count == moment.rowCount ? tree.part(from: moment.position) : nil
  }

  /// Reverts to a checkpoint.
  mutating func goBack(to moment: Moment) {
    tree.truncate(to: moment.position)
    rowEntities.removeLast(rowEntities.count - moment.rowCount)
    bindings.removeLast(bindings.count - moment.bindingCount)
    identifiers = moment.identifiers
  }
}

// MARK: Rows

extension PredicateCompiler {
  /// The entity of a row; nil for an element of a list.
  func entity(of row: Int32) -> EntityLayout? {
    row == 0 ? entity : rowEntities[Int(row) - 1]
  }

  /// Returns the index of the row of a to-one relationship, and appends the row unless the tree already has it.
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

// MARK: Variables

/// The nodes of the expression that a variable is bound to.
struct BoundOperand {
  let fragment: QueryFragment
  /// The entity whose keys are in the fragment.
  var keyEntity: String?

  /// Whether the fragment contains identifiers. Each comparison that uses the variable replaces them by keys.
  var hasIdentifiers: Bool {
    fragment.values.contains { value in
      switch value {
      case .identifier: true
      case .list(let elements): elements.hasIdentifiers
      default: false
      }
    }
  }
}

/// What a variable other than the predicate's model refers to.
private struct VariableBinding {
  enum Meaning {
    case operand(BoundOperand)
    case model(ModelReference)
  }

  let variable: PredicateExpressions.VariableID
  let meaning: Meaning
  var useCount = 0
}

extension PredicateCompiler {
  /// Removes and returns the nodes that `body` appends. The caller binds a variable to them.
  mutating func operand(
    _ body: (inout PredicateCompiler) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) -> BoundOperand {
    let outer = beginComparison()
    defer { identifiers = outer }
    let fragment = try fragment(body)
    try requireOneHierarchy()
    return BoundOperand(fragment: fragment, keyEntity: identifiers.keyEntity)
  }

  /// Binds a variable to an operand during `body`, and returns how often the variable was used.
  @discardableResult
  mutating func binding(
    _ variable: PredicateExpressions.VariableID, to operand: BoundOperand,
    _ body: (inout PredicateCompiler) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) -> Int {
    bindings.append(VariableBinding(variable: variable, meaning: .operand(operand)))
    try body(&self)
    return bindings.removeLast().useCount
  }

  /// During `body`, binds a variable to a model or to the models of a relationship.
  package mutating func binding<Result>(
    _ variable: PredicateExpressions.VariableID, to model: ModelReference,
    _ body: (inout PredicateCompiler) throws(UntranslatableExpression) -> Result
  ) throws(UntranslatableExpression) -> Result {
    bindings.append(VariableBinding(variable: variable, meaning: .model(model)))
    let result = try body(&self)
    bindings.removeLast()
    return result
  }

  /// Binds a variable to the value of a node, until ``unbind(_:)``.
  mutating func bind(
    _ variable: PredicateExpressions.VariableID, to node: some TranslatableExpression
  ) throws(UntranslatableExpression) {
    if let model = try node.model(in: &self) {
      bindings.append(VariableBinding(variable: variable, meaning: .model(model)))
    } else {
      let operand = try operand { translation throws(UntranslatableExpression) in
        try node.translate(into: &translation)
      }
      bindings.append(VariableBinding(variable: variable, meaning: .operand(operand)))
    }
  }

  /// Removes the newest bindings, as many as given.
  mutating func unbind(_ count: Int) { bindings.removeLast(count) }

  /// Appends the value of a variable; returns false if it is not bound to a value.
  package mutating func append(_ variable: PredicateExpressions.VariableID) -> Bool {
    guard let index = bindings.lastIndex(where: { $0.variable == variable }),
      case .operand(let operand) = bindings[index].meaning
    else { return false }
    bindings[index].useCount += 1
    if let name = operand.keyEntity { noteKeys(of: name) }
    if operand.hasIdentifiers { identifiers.hasIdentifiers = true }
    tree.append(operand.fragment)
    return true
  }

  /// The model of a variable; nil if it is bound to a value.
  package func model(of variable: PredicateExpressions.VariableID) -> ModelReference? {
    if variable == model { return .root }
    guard let binding = bindings.last(where: { $0.variable == variable }), case .model(let model) = binding.meaning
    else { return nil }
    return model
  }
}
