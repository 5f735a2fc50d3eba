import Foundation
import PersistenceRuntime

extension PredicateExpressions.NotEqual: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try translation.appendEquality(lhs, rhs, .notEqual)
  }

  package static func describe(_ parts: inout ExpressionParts, at offset: Int) {
    parts.add(LHS.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.lhs))
    parts.add(RHS.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.rhs))
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try lhs.value(in: bindings) != rhs.value(in: bindings)
  }
}
