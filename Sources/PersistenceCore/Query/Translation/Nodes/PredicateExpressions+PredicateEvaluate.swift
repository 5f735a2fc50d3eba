import Foundation

#if !canImport(Darwin)
  extension PredicateExpressions.PredicateEvaluate: TranslatableExpression
  where Condition: TranslatableExpression, repeat each Input: TranslatableExpression {
    package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
      guard let predicate = predicate.constant else { throw .chosenExpression }
      var count = 0
      for (variable, input) in repeat (each predicate.variable, each input) {
        try translation.bind(variable.key, to: input)
        count += 1
      }
      try translation.append(predicate.expression, isTest: true)
      translation.unbind(count)
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
