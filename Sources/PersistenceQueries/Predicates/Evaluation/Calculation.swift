import Foundation
import Logging
import PersistenceSupport

/// Arithmetic that throws on overflow instead of trapping.
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

extension PredicateBindings {
  /// Evaluates a node whose concrete type is not known.
  func value<Output>(of node: any PredicateExpression<Output>) throws -> Output {
    guard let node = node as? any TranslatableExpression<Output> else { return try node.evaluate(self) }
    return try node.value(in: self)
  }
}

extension TranslatableExpression {
  /// The value of a node that contains no variables; nil for other nodes, and if the evaluation throws.
  var constantValue: Output? { try? value(in: PredicateBindings()) }

  /// Evaluates the node with a variable bound to an element.
  func value<Element>(
    in bindings: PredicateBindings, _ element: Element, as variable: PredicateExpressions.Variable<Element>
  ) throws -> Output {
    var inner = bindings
    inner[variable] = element
    return try value(in: inner)
  }
}

extension Predicate {
  /// Whether the predicate is true for its input. As in a store, an overflow makes the result unknown, and an unknown
  /// result counts as false.
  package func holds(for input: repeat each Input) throws -> Bool {
    var bindings = PredicateBindings()
    for (variable, value) in repeat (each variable, each input) { bindings[variable] = value }
    do {
      return try bindings.value(of: expression)
    } catch is PredicateError {
      return false
    }
  }
}

/// Logs which queries are partly evaluated in memory, once for each shape in a process. Thread-safe.
///
/// A shape is the text of a message. It names the entity and the parts that the store cannot evaluate, but no values.
/// Messages have the level debug. If the logger's level is higher, no message is composed.
package final class MemoryWorkLog: Sendable {
  /// The maximum number of shapes. Further shapes are not logged.
  package static let mostShapes = 1_024

  /// The log of the process; tests replace it.
  @TaskLocal package static var current = MemoryWorkLog()

  private let known = Lock<Set<Int>>([])

  package init() {}

  /// The number of logged shapes.
  package var shapeCount: Int { known.withLock { $0.count } }

  /// Logs a message unless it was logged before.
  package func say(_ line: @autoclosure () -> String, to logger: Logger) {
    guard logger.logLevel <= .debug else { return }
    let line = line()
    // Only the hash of a message is stored, because messages contain names of generic types, which may be long.
    let isNew = known.withLock { $0.count < Self.mostShapes && $0.insert(line.hashValue).inserted }
    if isNew { logger.debug("\(line)") }
  }
}
