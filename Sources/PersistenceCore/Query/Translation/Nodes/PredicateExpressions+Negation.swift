import Foundation

extension PredicateExpressions.Negation: TranslatableExpression where Wrapped: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    try wrapped.translateTest(into: &translation)
    translation.append(.not)
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try !wrapped.value(in: bindings)
  }
}
