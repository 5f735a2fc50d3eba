import Foundation

extension PredicateBindings {
  /// The value of a node of which only the protocol is known.
  func value<Output>(of node: any PredicateExpression<Output>) throws -> Output {
    guard let node = node as? any TranslatableExpression<Output> else { return try node.evaluate(self) }
    return try node.value(in: self)
  }
}

extension TranslatableExpression {
  /// The value of a node that is made of captured values alone; nil when it is not, or has none.
  var constantValue: Output? { try? value(in: PredicateBindings()) }

  /// The value of the node while a variable stands for an element.
  func value<Element>(
    in bindings: PredicateBindings, _ element: Element, as variable: PredicateExpressions.Variable<Element>
  ) throws -> Output {
    var inner = bindings
    inner[variable] = element
    return try value(in: inner)
  }
}

extension Predicate {
  /// Whether the predicate holds for its input, judged as a store does: what cannot be calculated is unknown, and then
  /// the predicate does not hold.
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
