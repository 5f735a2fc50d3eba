import Foundation
import PersistenceRuntime

/// The rows or elements that an operator asks about one by one, as far as it is translated: their list, if they are the
/// elements of one, and what narrows them down are at the end of the tree.
package struct ElementScope {
  let row: Int32
  /// What one of them is.
  let element: Element
  /// Whether something narrows them down.
  var hasCondition = false

  enum Element {
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

  /// Makes the list that was appended last one whose elements are asked about.
  mutating func appendElements(_ format: ColumnFormat, isOptional: Bool) -> ElementScope {
    ElementScope(row: append(.element, of: nil), element: .value(format, isOptional: isOptional))
  }

  /// Runs `body` while a variable stands for one of the elements.
  mutating func binding(
    _ variable: PredicateExpressions.VariableID, to scope: ElementScope,
    _ body: (inout PredicateCompiler) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) {
    switch scope.element {
    case .model(let model): try binding(variable, to: model, body)
    case .value:
      let node = scope.node
      try binding(variable, to: QueryFragment(nodes: [node], values: []), body)
    }
  }

  /// Appends what else an element has to meet.
  mutating func appendCondition(
    on scope: inout ElementScope, _ body: (inout PredicateCompiler) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) {
    try body(&self)
    if scope.hasCondition { append(.and) }
    scope.hasCondition = true
  }

  /// Appends what is asked about all the elements together.
  mutating func append(_ node: QueryNode, about scope: ElementScope) {
    if !scope.hasCondition { append(.truth(true)) }
    append(node)
  }
}

extension ElementScope {
  /// One of the elements: a value, or the key of a model.
  var node: QueryNode {
    switch element {
    case .model: .related(row: row, .key)
    case .value(let format, let isOptional): .related(row: row, .element(format, isOptional: isOptional))
    }
  }
}

/// A collection whose elements a query can take one by one.
protocol ListedCollection {
  static var elementType: any Any.Type { get }
  static var isUnordered: Bool { get }
  /// The elements in their stored form, nil ones too.
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
