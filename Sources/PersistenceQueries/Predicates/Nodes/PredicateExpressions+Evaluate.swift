import Foundation
import PersistenceRuntime

#if !canImport(Darwin)
  extension PredicateExpressions.PredicateEvaluate: TranslatableExpression
  where Condition: TranslatableExpression, repeat each Input: TranslatableExpression {
    package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
      guard let predicate = predicate.constant else { throw .chosenExpression }
      let count = try bind(predicate, in: &translation)
      try translation.append(predicate.expression, isTest: true)
      translation.unbind(count)
    }

    /// Adds the operands of the other predicate to those of the enclosing conjunction.
    package func translateParts(
      into translation: inout PredicateCompiler, _ obstacles: inout [UntranslatableExpression]
    ) -> Bool {
      let beginning = translation.moment
      do throws(UntranslatableExpression) {
        guard let predicate = predicate.constant else { throw .chosenExpression }
        let count = try bind(predicate, in: &translation)
        let isAppended = PredicateTranslator.translateParts(of: predicate.expression, into: &translation, &obstacles)
        translation.unbind(count)
        return isAppended
      } catch {
        translation.goBack(to: beginning)
        obstacles.append(error)
        return false
      }
    }

    /// Binds the variables of the other predicate to the inputs, and returns their number.
    private func bind(
      _ predicate: Condition.Output, in translation: inout PredicateCompiler
    ) throws(UntranslatableExpression) -> Int {
      var count = 0
      for (variable, input) in repeat (each predicate.variable, each input) {
        try translation.bind(variable.key, to: input)
        count += 1
      }
      return count
    }

    package func value(in bindings: PredicateBindings) throws -> Bool {
      let predicate = try predicate.value(in: bindings)
      var inner = PredicateBindings()
      for (variable, input) in repeat (each predicate.variable, each input) {
        inner[variable] = try input.value(in: bindings)
      }
      return try inner.value(of: predicate.expression)
    }
  }
#endif

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
  /// The error for an evaluated predicate or expression that is not a constant, and so may be different for each row.
  static var chosenExpression: UntranslatableExpression {
    UntranslatableExpression("another predicate or expression (evaluate) that depends on the model")
  }
}

extension PredicateCompiler {
  /// Appends a node whose concrete type is not known.
  mutating func append<Node: PredicateExpression>(_ node: Node, isTest: Bool) throws(UntranslatableExpression) {
    guard let node = node as? any TranslatableExpression else { throw .unknown(Node.self) }
    if isTest { try node.translateTest(into: &self) } else { try node.translate(into: &self) }
  }
}
