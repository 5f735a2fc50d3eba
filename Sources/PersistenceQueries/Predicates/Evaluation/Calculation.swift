import Foundation

/// Arithmetic that throws on overflow, where Swift's operators trap.
enum Calculation {
  static func of<Number: Numeric>(
    _ lhs: Number, _ operation: PredicateExpressions.ArithmeticOperator, _ rhs: Number
  ) throws -> Number {
    if let integer = lhs as? any FixedWidthInteger { return try result(of: integer, operation, rhs) }
    return switch operation {
    case .add: lhs + rhs
    case .subtract: lhs - rhs
    case .multiply: lhs * rhs
    }
  }

  static func quotient<Number: BinaryInteger>(of lhs: Number, by rhs: Number) throws -> Number {
    guard let integer = lhs as? any FixedWidthInteger else { return try notZero(rhs, lhs) { $0 / rhs } }
    return try quotient(of: integer, byOther: rhs)
  }

  static func remainder<Number: BinaryInteger>(of lhs: Number, by rhs: Number) throws -> Number {
    guard let integer = lhs as? any FixedWidthInteger else { return try notZero(rhs, lhs) { $0 % rhs } }
    return try remainder(of: integer, byOther: rhs)
  }

  static func negative<Number: SignedNumeric>(of number: Number) throws -> Number {
    guard let integer = number as? any FixedWidthInteger else { return -number }
    return try negative(of: integer, as: Number.self)
  }

  private static func negative<Integer: FixedWidthInteger, Number>(
    of integer: Integer, as type: Number.Type
  ) throws -> Number {
    let (value, isTooLarge) = Integer.zero.subtractingReportingOverflow(integer)
    guard !isTooLarge, let value = value as? Number else { throw PredicateError.invalidInput }
    return value
  }

  private static func result<Integer: FixedWidthInteger, Number>(
    of lhs: Integer, _ operation: PredicateExpressions.ArithmeticOperator, _ rhs: Number
  ) throws -> Number {
    try fitting(lhs, rhs) { lhs, rhs in
      switch operation {
      case .add: lhs.addingReportingOverflow(rhs)
      case .subtract: lhs.subtractingReportingOverflow(rhs)
      case .multiply: lhs.multipliedReportingOverflow(by: rhs)
      }
    }
  }

  private static func quotient<Integer: FixedWidthInteger, Number>(
    of lhs: Integer, byOther rhs: Number
  ) throws -> Number {
    try fitting(lhs, rhs) { $0.dividedReportingOverflow(by: $1) }
  }

  private static func remainder<Integer: FixedWidthInteger, Number>(
    of lhs: Integer, byOther rhs: Number
  ) throws -> Number {
    try fitting(lhs, rhs) { $0.remainderReportingOverflow(dividingBy: $1) }
  }

  /// The result of an integer operation; throws on overflow.
  private static func fitting<Integer: FixedWidthInteger, Number>(
    _ lhs: Integer, _ rhs: Number, _ calculate: (Integer, Integer) -> (partialValue: Integer, overflow: Bool)
  ) throws -> Number {
    guard let rhs = rhs as? Integer else { throw PredicateError.invalidInput }
    let (value, isTooLarge) = calculate(lhs, rhs)
    guard !isTooLarge, let value = value as? Number else { throw PredicateError.invalidInput }
    return value
  }

  private static func notZero<Number: BinaryInteger>(
    _ divisor: Number, _ number: Number, _ divide: (Number) -> Number
  ) throws -> Number {
    guard divisor != 0 else { throw PredicateError.invalidInput }
    return divide(number)
  }
}
