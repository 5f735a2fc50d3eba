import Foundation
import PersistenceRuntime

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression where Inner: TranslatableExpression {
  /// Nil stays nil, where the in-memory evaluation throws.
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try inner.translate(into: &translation)
  }

  package func model(in translation: inout PredicateCompiler) throws(UntranslatableExpression) -> ModelReference? {
    try inner.model(in: &translation)
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    guard let value = try inner.value(in: bindings) else { throw PredicateError.forceUnwrapFailure }
    return value
  }
}
