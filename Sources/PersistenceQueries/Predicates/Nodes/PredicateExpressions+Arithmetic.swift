import Foundation
import PersistenceRuntime

extension PredicateExpressions.Arithmetic: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  /// The result if both operands are constant; nil if one depends on the model, or if the calculation overflows.
  package var constant: Output? { lhs.isConstant && rhs.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  /// If the calculation overflows, the store's result is unknown, whereas Foundation's own evaluation traps.
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
  /// Calls `operands` to append the operands, and appends an operation on them.
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

extension PredicateExpressions.UnaryMinus: TranslatableExpression where Wrapped: TranslatableExpression {
  /// The result if the operand is constant; nil if it depends on the model, or if the calculation overflows.
  package var constant: Output? { wrapped.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if let constant { return try translation.appendComparable(constant) }
    guard let form = NumberForm(Output.self) else {
      throw UntranslatableExpression("the negative of a \(Output.self), which calculates by itself")
    }
    try wrapped.translate(into: &translation)
    translation.append(.negative(form))
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try Calculation.negative(of: wrapped.value(in: bindings))
  }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  /// The result if both operands are constant; nil if one depends on the model.
  package var constant: Output? { lhs.isConstant && rhs.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if let constant { return try translation.appendComparable(constant) }
    try translation.appendCalculation(.divide, of: Output.self) { translation throws(UntranslatableExpression) in
      try lhs.translate(into: &translation)
      try rhs.translate(into: &translation)
    }
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try lhs.value(in: bindings) / rhs.value(in: bindings)
  }
}

extension PredicateExpressions.IntDivision: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  /// The result if both operands are constant; nil if one depends on the model, or if the calculation overflows.
  package var constant: Output? { lhs.isConstant && rhs.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  /// If the calculation overflows, the store's result is unknown, whereas Foundation's own evaluation traps.
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if let constant { return try translation.appendComparable(constant) }
    try translation.appendCalculation(.divide, of: Output.self) { translation throws(UntranslatableExpression) in
      try lhs.translate(into: &translation)
      try rhs.translate(into: &translation)
    }
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try Calculation.quotient(of: lhs.value(in: bindings), by: rhs.value(in: bindings))
  }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression
where LHS: TranslatableExpression, RHS: TranslatableExpression {
  /// The result if both operands are constant; nil if one depends on the model, or if the calculation overflows.
  package var constant: Output? { lhs.isConstant && rhs.isConstant ? constantValue : nil }

  package var isConstant: Bool { constant != nil }

  /// If the calculation overflows, the store's result is unknown, whereas Foundation's own evaluation traps.
  package func translate(into translation: inout PredicateCompiler) throws(UntranslatableExpression) {
    if let constant { return try translation.appendComparable(constant) }
    try translation.appendCalculation(.remainder, of: Output.self) { translation throws(UntranslatableExpression) in
      try lhs.translate(into: &translation)
      try rhs.translate(into: &translation)
    }
  }

  package func value(in bindings: PredicateBindings) throws -> Output {
    try Calculation.remainder(of: lhs.value(in: bindings), by: rhs.value(in: bindings))
  }
}
