import Foundation

extension PredicateExpressions.Range: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    throw UntranslatableExpression("a comparison with a range")
  }

  package func translateBounds(
    into translation: inout QueryTranslation
  ) throws(UntranslatableExpression) -> QueryNode {
    try lower.translate(into: &translation)
    try upper.translate(into: &translation)
    return .betweenHalfOpen
  }
}
