import Foundation
import PersistenceRuntime

extension PredicateExpressions.StringLocalizedStandardContains: TranslatableExpression
where Root: TranslatableExpression, Other: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try root.translate(into: &translation)
    try other.translate(into: &translation)
    translation.append(.containsLocalized)
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try LocalizedComparison.contains(String(root.value(in: bindings)), String(other.value(in: bindings)))
  }
}
