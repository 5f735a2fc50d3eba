import Foundation
import PersistenceRuntime

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
