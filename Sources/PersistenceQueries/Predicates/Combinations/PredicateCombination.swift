import Foundation
import PersistenceSupport

/// The operation that combines predicates.
enum CombiningOperation: Sendable {
  case all
  case any
}

/// The node of a combined predicate. It stores the predicates in a list. If the predicates were nested generic nodes
/// instead, each one would enlarge the generic type, which Swift instantiates at run time.
struct PredicateCombination<each Input>: StandardPredicateExpression {
  typealias Output = Bool

  let operation: CombiningOperation
  /// Whether the node negates the result of the operation.
  let isNegated: Bool
  let predicates: [Predicate<repeat each Input>]
  /// The nesting depth of combination nodes, including this node.
  let depth: Int
  /// The inputs of the predicates.
  let variable: (repeat PredicateExpressions.Variable<each Input>)

  init(
    _ operation: CombiningOperation, _ predicates: [Predicate<repeat each Input>], isNegated: Bool,
    about variable: repeat PredicateExpressions.Variable<each Input>
  ) {
    self.operation = operation
    self.isNegated = isNegated
    self.predicates = predicates
    self.variable = (repeat each variable)
    let depths = predicates.map { ($0.expression as? PredicateCombination<repeat each Input>)?.depth ?? 0 }
    depth = 1 + (depths.max() ?? 0)
  }

  /// Evaluates the predicates in order until the result is determined.
  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    try checkDepth()
    let values = (repeat try (each variable).evaluate(bindings))
    for predicate in predicates where try predicate.evaluate(repeat each values) != isNeutral {
      return isNeutral == isNegated
    }
    return isNeutral != isNegated
  }

  /// Evaluates in the same way as a store: an overflow does not matter if another operand decides the result.
  func value(in bindings: PredicateBindings) throws -> Bool {
    try checkDepth()
    let values = (repeat try (each variable).evaluate(bindings))
    var inner = PredicateBindings()
    var unknown: (any Error)?
    for predicate in predicates {
      for (variable, value) in repeat (each predicate.variable, each values) { inner[variable] = value }
      do {
        if try inner.value(of: predicate.expression) != isNeutral { return isNeutral == isNegated }
      } catch {
        unknown = unknown ?? error
      }
      for variable in repeat each predicate.variable { inner[variable] = nil }
    }
    if let unknown { throw unknown }
    return isNeutral != isNegated
  }

  /// The value that leaves the result to the other predicates: true for `all`, false for `any`.
  var isNeutral: Bool { operation == .all }
}

// MARK: Depth

extension PredicateCombination {
  /// The maximum nesting that is evaluated, because each level takes space on the stack.
  private static var mostLevels: Int { 400 }

  /// - Throws: `SwiftDataError.unsupportedPredicate` if the stack might overflow.
  private func checkDepth() throws {
    guard depth > Self.mostLevels else { return }
    throw SwiftDataError(
      .unsupportedPredicate,
      "Predicates are put into each other \(depth) levels deep, and \(Self.mostLevels) are the most. "
        + "Give all of them to one call of all(_:) or any(_:).")
  }
}

// MARK: Coding

extension PredicateCombination: Codable {
  init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: decoder.codingPath, debugDescription: "a predicate that is made of others cannot be decoded"))
  }

  func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self,
      EncodingError.Context(
        codingPath: encoder.codingPath, debugDescription: "a predicate that is made of others cannot be encoded"))
  }
}

// MARK: Traversal

/// A node that stores its operands in a list of predicates. Reflection does not find the expressions in that list.
protocol ExpressionList {
  var expressions: [any PredicateExpression<Bool>] { get }
}

extension PredicateCombination: ExpressionList {
  var expressions: [any PredicateExpression<Bool>] { predicates.map { $0.expression } }
}
