import Foundation
import PersistenceRuntime

extension PredicateExpressions.Value: TranslatableExpression {
  package var constant: Output? { value }

  package var isConstant: Bool { true }

  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    try translation.appendComparable(value)
  }

  /// A constant condition is a truth value, which a store can eliminate, and not an operand.
  package func translateTest(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    guard let value = value as? Bool else { return try translate(into: &translation) }
    translation.append(.truth(value))
  }

  package static func describe(_ parts: inout ExpressionParts, at offset: Int) {
    parts.addValue(Output.self, at: offset, plus: MemoryLayout<Self>.offset(of: \.value))
  }

  package func translateBounds(
    into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) -> QueryNode {
    guard let range = value as? any BoundedRange else {
      throw UntranslatableExpression("a range of type \(Output.self)")
    }
    return try range.appendBounds(to: &translation)
  }
}

extension PredicateCompiler {
  /// Appends a value in its stored representation.
  package mutating func appendComparable<Value>(_ value: Value) throws(UntranslatableExpression) {
    append(try QueryValueConversion.convert(value))
  }
}
