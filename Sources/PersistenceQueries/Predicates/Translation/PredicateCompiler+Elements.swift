import Foundation
import PersistenceRuntime

/// The elements that a quantifier such as `contains(where:)` or an aggregate such as `max()` reads: related rows, or
/// the values of a list. The nodes of the list and of the elements' condition are at the end of the tree.
package struct ElementScope {
  let row: Int32
  /// The kind of element.
  let element: ListElement
  /// Whether the elements have a condition.
  var hasCondition = false

  enum ListElement {
    case model(ModelReference)
    case value(ColumnFormat, isOptional: Bool)
  }
}

extension PredicateCompiler {
  /// Appends the models of a to-many relationship.
  mutating func appendMembers(of models: ModelReference) throws(UntranslatableExpression) -> ElementScope {
    guard let position = models.relationship else { throw UntranslatableExpression("a model as a collection") }
    let destination = try entity(of: models)
    let row = append(.toMany(from: models.row, member: models.member, property: position), of: destination)
    return ElementScope(row: row, element: .model(ModelReference(row: row)))
  }

  /// Returns a scope for the elements of the list that was appended last.
  mutating func appendElements(_ format: ColumnFormat, isOptional: Bool) -> ElementScope {
    ElementScope(row: append(.element, of: nil), element: .value(format, isOptional: isOptional))
  }

  /// Binds a variable to an element during `body`.
  mutating func binding(
    _ variable: PredicateExpressions.VariableID, to scope: ElementScope,
    _ body: (inout PredicateCompiler) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) {
    switch scope.element {
    case .model(let model): try binding(variable, to: model, body)
    case .value:
      let node = scope.node
      try binding(variable, to: BoundOperand(fragment: QueryFragment(nodes: [node], values: [])), body)
    }
  }

  /// Appends a condition that the elements must satisfy. Joins it by AND with an earlier condition.
  mutating func appendCondition(
    on scope: inout ElementScope, _ body: (inout PredicateCompiler) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) {
    try body(&self)
    if scope.hasCondition { append(.and) }
    scope.hasCondition = true
  }

  /// Appends the quantifier or aggregate itself, after its elements and their condition.
  mutating func append(_ node: QueryNode, about scope: ElementScope) {
    if !scope.hasCondition { append(.truth(true)) }
    append(node)
  }
}

extension ElementScope {
  /// The node of an element: its value, or a model's key.
  var node: QueryNode {
    switch element {
    case .model: .related(row: row, .key)
    case .value(let format, let isOptional): .related(row: row, .element(format, isOptional: isOptional))
    }
  }
}

/// An array or set of values, captured or stored as JSON, whose elements can be translated.
protocol ListedCollection {
  static var elementType: any Any.Type { get }
  static var isUnordered: Bool { get }
  /// The stored representations of all elements, including nil elements.
  func queryValues() throws(UntranslatableExpression) -> [QueryValue]
}

extension Array: ListedCollection {
  static var isUnordered: Bool { false }

  func queryValues() throws(UntranslatableExpression) -> [QueryValue] {
    try map { value throws(UntranslatableExpression) in try QueryValueConversion.convert(value) }
  }
}

extension Set: ListedCollection {
  static var isUnordered: Bool { true }

  func queryValues() throws(UntranslatableExpression) -> [QueryValue] {
    try map { value throws(UntranslatableExpression) in try QueryValueConversion.convert(value) }
  }
}
