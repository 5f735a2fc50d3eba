import Foundation

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression where Inner: TranslatableExpression {
  /// A nil stays nil, where the evaluation in memory throws.
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    try inner.translate(into: &translation)
  }
}
