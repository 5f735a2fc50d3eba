import Foundation
import PersistenceRuntime

extension PredicateExpressions.IntRemainder: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  /// What is made of captured values alone is known here, unless it does not fit.
  package var constant: Output? { lhs.isConstant && rhs.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  /// A result that does not fit is unknown, where the evaluation by Foundation ends the program.
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if let constant { return try translation.appendComparable(constant) }
    try translation.appendCalculation(.remainder, of: Output.self) { translation throws(UntranslatableExpression) in
      try lhs.translate(into: &translation)
      try rhs.translate(into: &translation)
    }
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try Calculation.remainder(of: lhs.value(in: bindings), by: rhs.value(in: bindings))
  }
}
