import Foundation
import PersistenceRuntime

extension PredicateExpressions.Arithmetic: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  /// What is made of captured values alone is known here, unless it does not fit.
  package var constant: Output? { lhs.isConstant && rhs.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  /// A result that does not fit is unknown, where the evaluation by Foundation ends the program.
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if let constant { return try translation.appendComparable(constant) }
    try translation.appendCalculation(op.operation, of: Output.self) { translation throws(UntranslatableExpression) in
      try lhs.translate(into: &translation)
      try rhs.translate(into: &translation)
    }
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try Calculation.of(lhs.value(in: bindings), op, rhs.value(in: bindings))
  }
}

extension PredicateExpressions.ArithmeticOperator {
  fileprivate var operation: ArithmeticOperation {
    switch self {
    case .add: .add
    case .subtract: .subtract
    case .multiply: .multiply
    }
  }
}

extension PredicateCompiler {
  /// Appends a calculation with the two operands that `operands` appends.
  mutating func appendCalculation<Number>(
    _ operation: ArithmeticOperation, of type: Number.Type,
    operands: (inout PredicateCompiler) throws(UntranslatableExpression) -> Void
  ) throws(UntranslatableExpression) {
    guard let form = NumberForm(type) else {
      throw UntranslatableExpression("a calculation with values of type \(type), which calculates by itself")
    }
    try operands(&self)
    append(.arithmetic(operation, form))
  }
}
