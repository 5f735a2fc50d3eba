import Foundation

extension PredicateExpressions.FloatDivision: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    try translation.appendCalculation(.divide, of: Output.self) { translation throws(UntranslatableExpression) in
      try lhs.translate(into: &translation)
      try rhs.translate(into: &translation)
    }
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try lhs.value(in: bindings) / rhs.value(in: bindings)
  }
}
