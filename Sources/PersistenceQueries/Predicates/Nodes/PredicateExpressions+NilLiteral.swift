import Foundation
import PersistenceRuntime

extension PredicateExpressions.NilLiteral: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    translation.append(QueryValue.null)
  }
}
