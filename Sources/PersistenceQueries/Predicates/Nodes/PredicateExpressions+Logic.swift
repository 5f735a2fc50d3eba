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
    // As in SQL (`unknown AND false` is false), an overflow in the left operand is irrelevant if the right is false.
    let left = Result { try lhs.value(in: bindings) }
    if case .success(false) = left { return false }
    let isRight = try rhs.value(in: bindings)
    return isRight ? try left.get() : false
  }
}

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
    // As in SQL (`unknown OR true` is true), an overflow in the left operand is irrelevant if the right is true.
    let left = Result { try lhs.value(in: bindings) }
    if case .success(true) = left { return true }
    let isRight = try rhs.value(in: bindings)
    return isRight ? true : try left.get()
  }
}

extension PredicateExpressions.Negation: TranslatableExpression where Wrapped: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try wrapped.translateTest(into: &translation)
    translation.append(.not)
  }

  package static func describe(_ parts: inout ExpressionParts, at offset: Int) {
    parts.add(Wrapped.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.wrapped))
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try !wrapped.value(in: bindings)
  }
}

extension PredicateExpressions.Conditional: TranslatableExpression
where Test: TranslatableExpression, If: TranslatableExpression, Else: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try test.translateTest(into: &translation)
    try trueBranch.translate(into: &translation)
    try falseBranch.translate(into: &translation)
    translation.append(.conditional)
  }

  package func translateTest(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try test.translateTest(into: &translation)
    try trueBranch.translateTest(into: &translation)
    try falseBranch.translateTest(into: &translation)
    translation.append(.conditional)
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try test.value(in: bindings) ? trueBranch.value(in: bindings) : falseBranch.value(in: bindings)
  }
}
