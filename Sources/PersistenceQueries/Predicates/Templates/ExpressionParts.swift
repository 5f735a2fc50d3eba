import Foundation

/// Where in the memory of an expression, known by its type, is all that its translation depends on.
///
/// Nodes are structs that hold their operands, so that the whole of an expression is one piece of memory.
package struct ExpressionParts {
  /// A captured value, and what reads it.
  struct ValuePart: Sendable {
    let offset: Int
    let type: any PlainQueryValue.Type
  }

  private(set) var keyPaths: [Int] = []
  private(set) var variables: [Int] = []
  private(set) var operators: [Int] = []
  private(set) var values: [ValuePart] = []
  /// Whether nothing else decides about the translation.
  private(set) var isComplete = true

  /// The parts of expressions of a type; nil when their translation depends on more.
  static func parts(of type: any TranslatableExpression.Type) -> ExpressionParts? {
    var parts = ExpressionParts()
    type.describe(&parts, at: 0)
    return parts.isComplete ? parts : nil
  }

  /// Notes that the translation depends on more than can be noted here.
  mutating func giveUp() { isComplete = false }

  /// Adds the parts of an operand.
  mutating func add<Operand: TranslatableExpression>(_ operand: Operand.Type, at offset: Int, plus place: Int?) {
    guard let place else { return giveUp() }
    Operand.describe(&self, at: offset + place)
  }

  mutating func addKeyPath(at offset: Int, plus place: Int?) {
    guard let place else { return giveUp() }
    keyPaths.append(offset + place)
  }

  mutating func addVariable(at offset: Int, plus place: Int?) {
    guard let place else { return giveUp() }
    variables.append(offset + place)
  }

  mutating func addOperator(at offset: Int, plus place: Int?) {
    guard let place else { return giveUp() }
    operators.append(offset + place)
  }

  mutating func addValue(_ type: any Any.Type, at offset: Int, plus place: Int?) {
    guard let place, let type = type as? any PlainQueryValue.Type else { return giveUp() }
    values.append(ValuePart(offset: offset + place, type: type))
  }
}
