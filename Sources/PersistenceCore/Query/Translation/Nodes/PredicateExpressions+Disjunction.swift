import Foundation

extension PredicateExpressions.Disjunction: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    try lhs.translateTest(into: &translation)
    try rhs.translateTest(into: &translation)
    translation.append(.or)
  }
}
