import Foundation

extension PredicateExpressions.IntRemainder: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  /// A result that does not fit is unknown, where the evaluation by Foundation ends the program.
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    try translation.appendCalculation(.remainder, of: Output.self) { translation throws(UntranslatableExpression) in
      try lhs.translate(into: &translation)
      try rhs.translate(into: &translation)
    }
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try Calculation.remainder(of: lhs.value(in: bindings), by: rhs.value(in: bindings))
  }
}
