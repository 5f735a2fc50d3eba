import Foundation
import PersistenceRuntime

extension PredicateExpressions.NilLiteral: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    translation.append(QueryValue.null)
  }
}
