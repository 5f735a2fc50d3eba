import Foundation
import PersistenceRuntime

extension PredicateExpressions.ExpressionEvaluate: TranslatableExpression
where Transformation: TranslatableExpression, repeat each Input: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    guard let expression = expression.constant else { throw .chosenExpression }
    try translate(expression, into: &translation)
  }

  package func translateTest(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    guard let expression = expression.constant else { throw .chosenExpression }
    try translate(expression, isTest: true, into: &translation)
  }

  private func translate(
    _ expression: Transformation.Output, isTest: Bool = false, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) {
    var count = 0
    for (variable, input) in repeat (each expression.variable, each input) {
      try translation.bind(variable.key, to: input)
      count += 1
    }
    try translation.append(expression.expression, isTest: isTest)
    translation.unbind(count)
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    let expression = try expression.value(in: bindings)
    var inner = PredicateBindings()
    for (variable, input) in repeat (each expression.variable, each input) {
      inner[variable] = try input.value(in: bindings)
    }
    return try inner.value(of: expression.expression)
  }
}

extension UntranslatableExpression {
  /// A predicate or expression that depends on the row.
  static var chosenExpression: UntranslatableExpression {
    UntranslatableExpression("another predicate or expression (evaluate) that depends on the model")
  }
}

extension PredicateCompiler {
  /// Appends a node known by its protocol only.
  mutating func append<Node: PredicateExpression>(_ node: Node, isTest: Bool) throws(UntranslatableExpression) {
    guard let node = node as? any TranslatableExpression else { throw .unknown(Node.self) }
    if isTest { try node.translateTest(into: &self) } else { try node.translate(into: &self) }
  }
}
