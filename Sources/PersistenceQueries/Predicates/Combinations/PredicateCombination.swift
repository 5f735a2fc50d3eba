import Foundation
import PersistenceSupport

/// How predicates are put together.
enum CombiningOperation: Sendable {
  case all
  case any
}

/// The node of a predicate that is made of others: a list, and not generic nodes within each other, whose types would grow
/// with every one and be looked up at run time.
struct PredicateCombination<each Input>: StandardPredicateExpression {
  typealias Output = Bool

  let operation: CombiningOperation
  /// Whether the node stands for the opposite of what the operation makes.
  let isNegated: Bool
  let predicates: [Predicate<repeat each Input>]
  /// How many of these nodes are within each other, this one included.
  let depth: Int
  /// What the predicates are asked about.
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

  /// Evaluates one predicate after the other until the result is known.
  func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    try checkDepth()
    let values = (repeat try (each variable).evaluate(bindings))
    for predicate in predicates where try predicate.evaluate(repeat each values) != isNeutral {
      return isNeutral == isNegated
    }
    return isNeutral != isNegated
  }

  /// As a store does: what cannot be calculated does not matter beside what decides.
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

  /// What a predicate says that decides nothing: the result when there are none.
  var isNeutral: Bool { operation == .all }
}

// MARK: Depth

extension PredicateCombination {
  /// How many nodes within each other can be evaluated: each takes its part of the stack.
  private static var mostLevels: Int { 400 }

  /// - Throws: `SwiftDataError.unsupportedPredicate` when the stack might not be enough.
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

// MARK: Walking

/// A node that has its parts in a list, where reflection finds no expressions.
protocol ExpressionList {
  var expressions: [any PredicateExpression<Bool>] { get }
}

extension PredicateCombination: ExpressionList {
  var expressions: [any PredicateExpression<Bool>] { predicates.map { $0.expression } }
}
