import Foundation

/// Lends the memory of a predicate's expression.
///
/// Opening an existential calls a generic function with the value in place. There the type is known, so its stored
/// properties are at the offsets of `MemoryLayout`.
struct OpenedExpression {
  /// The address of the expression, valid during the call.
  let memory: UnsafeRawPointer
  /// The address of the expression type's metadata.
  let type: UInt
  /// The variable of the predicate.
  let model: PredicateExpressions.VariableID

  /// Opens an expression of a predicate with one input.
  ///
  /// - Parameter body: Uses the expression. It must not escape.
  static func open<Result>(
    _ expression: any StandardPredicateExpression<Bool>, model: PredicateExpressions.VariableID,
    _ body: (OpenedExpression) -> Result
  ) -> Result {
    func open<Expression: StandardPredicateExpression>(_ expression: Expression) -> Result {
      withUnsafePointer(to: expression) { pointer in
        unsafe body(
          OpenedExpression(
            memory: UnsafeRawPointer(pointer), type: UInt(bitPattern: ObjectIdentifier(Expression.self)), model: model))
      }
    }
    return open(expression)
  }
}
