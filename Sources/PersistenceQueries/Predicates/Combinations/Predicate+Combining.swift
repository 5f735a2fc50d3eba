import Foundation

// These are functions instead of operators, because the type checker would consider an additional operator in every
// condition of every predicate.

extension Predicate {
  /// Returns a predicate that is true if all given predicates are true. Without predicates it is always true. Ours.
  ///
  /// Use it for conditions that a program composes at run time. The store evaluates the conditions that it supports,
  /// the same as conditions joined by `&&`. The number of conditions is not limited. Thread-safe.
  ///
  /// ```swift
  /// var conditions = [#Predicate<Trip> { $0.days > 5 }]
  /// for word in ["sea", "sun"] { conditions.append(#Predicate { $0.name.contains(word) }) }
  /// let trips = try context.fetch(FetchDescriptor(predicate: .all(conditions)))
  /// ```
  ///
  /// - Parameter predicates: The predicates, which may be combinations.
  /// - Returns: The combination. It cannot be encoded, not even on Apple's systems. To print it, use
  ///   `debugDescription`: Foundation's `description` traps at custom nodes.
  public static func all(_ predicates: [Predicate<repeat each Input>]) -> Predicate<repeat each Input> {
    combined(.all, predicates)
  }

  /// Returns a predicate that is true if any given predicate is true. Without predicates it is always false. Ours.
  ///
  /// The store evaluates the combination if it can evaluate all predicates. Any number is possible. Thread-safe.
  ///
  /// ```swift
  /// let words = ["sea", "sun", "snow"]
  /// let named = Predicate<Trip>.any(words.map { word in #Predicate { $0.name.contains(word) } })
  /// let trips = try context.fetch(FetchDescriptor(predicate: named))
  /// ```
  ///
  /// - Parameter predicates: The predicates, which may be combinations.
  /// - Returns: The combination. It is not encodable, not even on Apple's systems. Print it by `debugDescription`:
  ///   Foundation's `description` traps at custom nodes.
  public static func any(_ predicates: [Predicate<repeat each Input>]) -> Predicate<repeat each Input> {
    combined(.any, predicates)
  }

  /// The negation of the predicate. Thread-safe. Ours.
  ///
  /// If a calculation in the predicate overflows, both the predicate and its negation are false. To negate several
  /// predicates, write `map { $0.negated }`, not `map(\.negated)`: Swift 6.3 crashes at key paths to properties of
  /// `Predicate`.
  ///
  /// ```swift
  /// let isLong = #Predicate<Trip> { $0.days > 5 }
  /// let short = try context.fetch(FetchDescriptor(predicate: isLong.negated))
  /// ```
  public var negated: Predicate<repeat each Input> {
    guard let combination = expression as? PredicateCombination<repeat each Input> else {
      return Self.made(of: .all, [self], isNegated: true)
    }
    let predicates = combination.predicates
    if combination.isNegated, predicates.count == 1, let only = predicates.first { return only }
    return Self.made(of: combination.operation, predicates, isNegated: !combination.isNegated)
  }

  /// Flattens combinations of the same kind, so that conditions that are added one by one are not nested.
  private static func combined(
    _ operation: CombiningOperation, _ predicates: [Predicate<repeat each Input>]
  ) -> Predicate<repeat each Input> {
    var parts: [Predicate<repeat each Input>] = []
    parts.reserveCapacity(predicates.count)
    for predicate in predicates {
      let combination = predicate.expression as? PredicateCombination<repeat each Input>
      if let combination, combination.operation == operation, !combination.isNegated {
        parts += combination.predicates
      } else {
        parts.append(predicate)
      }
    }
    if parts.count == 1, let only = parts.first { return only }
    return made(of: operation, parts, isNegated: false)
  }

  private static func made(
    of operation: CombiningOperation, _ predicates: [Predicate<repeat each Input>], isNegated: Bool
  ) -> Predicate<repeat each Input> {
    Self { (variable: repeat PredicateExpressions.Variable<each Input>) -> any StandardPredicateExpression<Bool> in
      PredicateCombination(operation, predicates, isNegated: isNegated, about: repeat each variable)
    }
  }
}
