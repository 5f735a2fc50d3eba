import Foundation

extension PredicateExpressions.Negation: TranslatableExpression where Wrapped: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    try wrapped.translateTest(into: &translation)
    translation.append(.not)
  }
}
