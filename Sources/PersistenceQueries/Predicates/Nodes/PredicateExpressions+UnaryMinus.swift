import Foundation
import PersistenceRuntime

extension PredicateExpressions.UnaryMinus: TranslatableExpression where Wrapped: TranslatableExpression {
  /// Constant-folded; nil on overflow.
  package var constant: Output? { wrapped.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if let constant { return try translation.appendComparable(constant) }
    guard let form = NumberForm(Output.self) else {
      throw UntranslatableExpression("the negative of a \(Output.self), which calculates by itself")
    }
    try wrapped.translate(into: &translation)
    translation.append(.negative(form))
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try Calculation.negative(of: wrapped.value(in: bindings))
  }
}
