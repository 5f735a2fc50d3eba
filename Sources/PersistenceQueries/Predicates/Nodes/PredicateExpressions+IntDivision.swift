import Foundation
import PersistenceRuntime

extension PredicateExpressions.IntDivision: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  /// Constant-folded; nil on overflow.
  package var constant: Output? { lhs.isConstant && rhs.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  /// An overflow is unknown, where Foundation's evaluation traps.
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if let constant { return try translation.appendComparable(constant) }
    try translation.appendCalculation(.divide, of: Output.self) { translation throws(UntranslatableExpression) in
      try lhs.translate(into: &translation)
      try rhs.translate(into: &translation)
    }
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try Calculation.quotient(of: lhs.value(in: bindings), by: rhs.value(in: bindings))
  }
}
