import Foundation

extension PredicateExpressions.Equal: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    try translation.appendEquality(lhs, rhs, .equal)
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try lhs.value(in: bindings) == rhs.value(in: bindings)
  }
}
