import Foundation
import PersistenceRuntime

extension PredicateExpressions.StringLocalizedCompare: TranslatableExpression
where Root: TranslatableExpression, Other: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try root.translate(into: &translation)
    try other.translate(into: &translation)
    translation.append(.compareText(.localized))
  }

  package func value(in bindings: PredicateBindings) throws -> ComparisonResult {
    try LocalizedComparison.compare(String(root.value(in: bindings)), String(other.value(in: bindings)), .localized)
  }
}
