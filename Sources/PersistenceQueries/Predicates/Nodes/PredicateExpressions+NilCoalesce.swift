import Foundation
import PersistenceRuntime

extension PredicateExpressions.NilCoalesce: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try lhs.translate(into: &translation)
    try rhs.translate(into: &translation)
    translation.append(.coalesce)
  }

  /// A condition that is false for nil stays usable for an index.
  package func translateTest(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try lhs.translateTest(into: &translation)
    try rhs.translateTest(into: &translation)
    translation.append(.coalesce)
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try lhs.value(in: bindings) ?? rhs.value(in: bindings)
  }
}
