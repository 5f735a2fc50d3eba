import Foundation

extension PredicateExpressions.NotEqual: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    try translation.appendEquality(lhs, rhs, .notEqual)
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try lhs.value(in: bindings) != rhs.value(in: bindings)
  }
}
