import Foundation

/// The expression of a predicate where it lies, found without a copy of the predicate.
///
/// A predicate holds its expression as Swift holds a value of any protocol's type: three words and then the type. A small
/// value is in these words; for any other the first of them is a box, with the value behind its header. Whoever goes by
/// this has seen that it holds for the type: ``TemplateMemory`` compares what it finds so with what Swift itself hands out.
struct ExpressionPlace {
  /// Where values of a type are.
  enum Placement {
    case within
    case boxed(offset: Int)

    init<Expression>(of type: Expression.Type) {
      let isSmall = MemoryLayout<Expression>.size <= 24 && MemoryLayout<Expression>.alignment <= 8
      // A box begins with what every object begins with: its type and its counts.
      self = isSmall ? .within : .boxed(offset: max(16, MemoryLayout<Expression>.alignment))
    }
  }

  private static let expressionOffset = MemoryLayout<Predicate<AbsentModel>>.offset(of: \.expression)
  private static let variableOffset = MemoryLayout<Predicate<AbsentModel>>.offset(of: \.variable)

  private let container: UnsafeRawPointer
  /// The address of the expression's type.
  let type: UInt
  /// The variable of the predicate.
  let model: PredicateExpressions.VariableID

  /// - Parameter predicate: Where a predicate about one model is.
  init?(predicate: UnsafeRawPointer) {
    guard let expressionOffset = Self.expressionOffset, let variableOffset = Self.variableOffset else { return nil }
    container = unsafe predicate + expressionOffset
    type = unsafe container.load(fromByteOffset: 24, as: UInt.self)
    model = unsafe predicate.load(fromByteOffset: variableOffset, as: PredicateExpressions.VariableID.self)
  }

  /// Where the value of the expression begins.
  @inline(__always)
  func value(_ placement: Placement) -> UnsafeRawPointer {
    switch placement {
    case .within: unsafe container
    case .boxed(let offset): unsafe container.load(as: UnsafeRawPointer.self) + offset
    }
  }
}
