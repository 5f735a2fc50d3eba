import Foundation

/// The expression of a predicate where it lies, while it is open.
///
/// Opening is what the language has for values of a protocol's type: a generic function is called with the value, which stays
/// where it is. The expression is then a value of a known type, whose stored properties are where `MemoryLayout` says.
struct OpenedExpression {
  /// Where the expression begins. Valid while the function runs that it was handed to.
  let memory: UnsafeRawPointer
  /// The address of the expression's type.
  let type: UInt
  /// The variable of the predicate.
  let model: PredicateExpressions.VariableID

  /// Opens an expression of a predicate about one model.
  ///
  /// - Parameter body: What is to be done with it, which must not keep it.
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
