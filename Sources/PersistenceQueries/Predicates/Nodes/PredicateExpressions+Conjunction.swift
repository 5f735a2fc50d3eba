import Foundation
import PersistenceRuntime

extension PredicateExpressions.Conjunction: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try lhs.translateTest(into: &translation)
    try rhs.translateTest(into: &translation)
    translation.append(.and)
  }

  package func translateParts(
    into translation: inout PredicateCompiler, _ obstacles: inout [UntranslatableExpression]
  ) -> Bool {
    let hasLeft = lhs.translateParts(into: &translation, &obstacles)
    let hasRight = rhs.translateParts(into: &translation, &obstacles)
    if hasLeft, hasRight { translation.append(.and) }
    return hasLeft || hasRight
  }

  package static func describe(_ parts: inout ExpressionParts, at offset: Int) {
    parts.add(LHS.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.lhs))
    parts.add(RHS.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.rhs))
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    // As in a store, an unknown operand is irrelevant if the other one is false.
    let left = Result { try lhs.value(in: bindings) }
    if case .success(false) = left { return false }
    let isRight = try rhs.value(in: bindings)
    return isRight ? try left.get() : false
  }
}
