import Foundation

/// The offsets in an expression of everything that its translation depends on, by the expression's type (decision 36).
///
/// Nodes are structs that store their operands, so an expression is one contiguous value.
package struct ExpressionParts {
  /// A captured value, and its reader.
  struct ValuePart: Sendable {
    let offset: Int
    let type: any PlainQueryValue.Type
  }

  private(set) var keyPaths: [Int] = []
  private(set) var variables: [Int] = []
  private(set) var operators: [Int] = []
  private(set) var values: [ValuePart] = []
  /// Whether the translation depends on the parts only.
  private(set) var isComplete = true

  /// The parts of expressions of a type; nil if their translation depends on more.
  static func parts(of type: any TranslatableExpression.Type) -> ExpressionParts? {
    var parts = ExpressionParts()
    type.describe(&parts, at: 0)
    return parts.isComplete ? parts : nil
  }

  /// Records that the translation depends on something that has no part.
  mutating func giveUp() { isComplete = false }

  /// Adds the parts of an operand.
  mutating func add<Operand: TranslatableExpression>(_ operand: Operand.Type, at offset: Int, plus delta: Int?) {
    guard let delta else { return giveUp() }
    Operand.describe(&self, at: offset + delta)
  }

  mutating func addKeyPath(at offset: Int, plus delta: Int?) {
    guard let delta else { return giveUp() }
    keyPaths.append(offset + delta)
  }

  mutating func addVariable(at offset: Int, plus delta: Int?) {
    guard let delta else { return giveUp() }
    variables.append(offset + delta)
  }

  mutating func addOperator(at offset: Int, plus delta: Int?) {
    guard let delta else { return giveUp() }
    operators.append(offset + delta)
  }

  mutating func addValue(_ type: any Any.Type, at offset: Int, plus delta: Int?) {
    guard let delta, let type = type as? any PlainQueryValue.Type else { return giveUp() }
    values.append(ValuePart(offset: offset + delta, type: type))
  }
}
