import Foundation
import PersistenceRuntime

extension PredicateExpressions.SequenceMinimum: TranslatableExpression where Elements: TranslatableExpression {
  /// Constant-folded.
  package var constant: Output? { elements.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if let constant { return try translation.appendComparable(constant) }
    try elements.translateExtreme({ .minimum(row: $0) }, into: &translation)
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    StoredOrder.extreme(of: try elements.value(in: bindings), isGreatest: false)
  }
}
