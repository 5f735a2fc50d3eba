import Foundation
import PersistenceRuntime

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression
where Base: TranslatableExpression, Other: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    guard Base.Output.self == String.self, Other.Output.self == String.self else {
      throw UntranslatableExpression("a search for a \(Other.Output.self) in a \(Base.Output.self)")
    }
    try base.translate(into: &translation)
    try other.translate(into: &translation)
    translation.append(.containsText)
  }

  package static func describe(_ parts: inout ExpressionParts, at offset: Int) {
    parts.add(Base.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.base))
    parts.add(Other.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.other))
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try base.value(in: bindings).contains(other.value(in: bindings))
  }
}
