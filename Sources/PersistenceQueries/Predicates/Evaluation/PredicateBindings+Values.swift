import Foundation

extension PredicateBindings {
  /// Evaluates a node known by its protocol only.
  func value<Output>(of node: any PredicateExpression<Output>) throws -> Output {
    guard let node = node as? any TranslatableExpression<Output> else { return try node.evaluate(self) }
    return try node.value(in: self)
  }
}

extension TranslatableExpression {
  /// The value of a node without variables; nil for other nodes, and on errors.
  var constantValue: Output? { try? value(in: PredicateBindings()) }

  /// Evaluates the node with a variable bound to an element.
  func value<Element>(
    in bindings: PredicateBindings, _ element: Element, as variable: PredicateExpressions.Variable<Element>
  ) throws -> Output {
    var inner = bindings
    inner[variable] = element
    return try value(in: inner)
  }
}

extension Predicate {
  /// Whether the predicate is true for its input, as a store evaluates it: an overflow is unknown, and the predicate
  /// then false.
  package func holds(for input: repeat each Input) throws -> Bool {
    var bindings = PredicateBindings()
    for (variable, value) in repeat (each variable, each input) { bindings[variable] = value }
    do {
      return try bindings.value(of: expression)
    } catch is PredicateError {
      return false
    }
  }
}
