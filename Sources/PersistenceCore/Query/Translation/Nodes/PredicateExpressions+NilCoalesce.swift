import Foundation

extension PredicateExpressions.NilCoalesce: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    try lhs.translate(into: &translation)
    try rhs.translate(into: &translation)
    translation.append(.coalesce)
  }
}
