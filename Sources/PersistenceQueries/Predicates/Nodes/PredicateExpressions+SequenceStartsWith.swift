import Foundation
import PersistenceRuntime

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression
where Base: TranslatableExpression, Prefix: TranslatableExpression {
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    guard Base.Output.self == String.self, Prefix.Output.self == String.self else {
      throw UntranslatableExpression("a search for a \(Prefix.Output.self) in a \(Base.Output.self)")
    }
    try base.translate(into: &translation)
    try prefix.translate(into: &translation)
    translation.append(.startsWithText)
  }

  package static func describe(_ parts: inout ExpressionParts, at offset: Int) {
    parts.add(Base.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.base))
    parts.add(Prefix.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.prefix))
  }

  package func value(in bindings: PredicateBindings) throws -> Bool {
    try base.value(in: bindings).starts(with: prefix.value(in: bindings))
  }
}
