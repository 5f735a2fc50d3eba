import Foundation
import PersistenceRuntime

extension PredicateExpressions.Range: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    throw UntranslatableExpression("a comparison with a range")
  }

  package func translateBounds(
    into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> QueryNode {
    try lower.translate(into: &translation)
    try upper.translate(into: &translation)
    return .betweenHalfOpen
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    let (lower, upper) = (try lower.value(in: bindings), try upper.value(in: bindings))
    guard lower <= upper else { throw PredicateError.invalidInput }
    return lower..<upper
  }
}
