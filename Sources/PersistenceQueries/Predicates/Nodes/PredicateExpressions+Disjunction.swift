import Foundation
import PersistenceRuntime

extension PredicateExpressions.Disjunction: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try lhs.translateTest(into: &translation)
    try rhs.translateTest(into: &translation)
    translation.append(.or)
  }

  package static func describe(_ parts: inout ExpressionParts, at offset: Int) {
    parts.add(LHS.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.lhs))
    parts.add(RHS.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.rhs))
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    // As in a store, an unknown operand is irrelevant if the other one is true.
    let left = Result { try lhs.value(in: bindings) }
    if case .success(true) = left { return true }
    let isRight = try rhs.value(in: bindings)
    return isRight ? true : try left.get()
  }
}
