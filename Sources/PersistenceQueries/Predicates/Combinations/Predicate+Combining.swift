import Foundation

// Predicates made of predicates. Functions and not operators: an operator would be one more candidate for the type checker
// in every condition of every predicate, these are none.

extension Predicate {
  /// A predicate that holds where all of some predicates hold; everywhere, when there are none.
  ///
  /// Made for conditions that a program puts together while it runs. The store answers those that it can, as it does of
  /// conditions that are joined by `&&`, however many there are. May be used from any thread.
  ///
  /// ```swift
  /// var conditions = [#Predicate<Trip> { $0.days > 5 }]
  /// for word in ["sea", "sun"] { conditions.append(#Predicate { $0.name.contains(word) }) }
  /// let trips = try context.fetch(FetchDescriptor(predicate: .all(conditions)))
  /// ```
  ///
  /// - Parameter predicates: The predicates, in any order. They may be made of others themselves.
  /// - Returns: A predicate that cannot be encoded, on Apple's systems either. Print it with `debugDescription`:
  ///   Foundation's `description` ends the program at nodes that are not its own.
  public static func all(_ predicates: [Predicate<repeat each Input>]) -> Predicate<repeat each Input> {
    combined(.all, predicates)
  }

  /// A predicate that holds where one of some predicates does; nowhere, when there are none.
  ///
  /// The store answers it, however many there are, if it can answer each of them. May be used from any thread.
  ///
  /// ```swift
  /// let words = ["sea", "sun", "snow"]
  /// let named = Predicate<Trip>.any(words.map { word in #Predicate { $0.name.contains(word) } })
  /// let trips = try context.fetch(FetchDescriptor(predicate: named))
  /// ```
  ///
  /// - Parameter predicates: The predicates, in any order. They may be made of others themselves.
  /// - Returns: A predicate that cannot be encoded, on Apple's systems either. Print it with `debugDescription`:
  ///   Foundation's `description` ends the program at nodes that are not its own.
  public static func any(_ predicates: [Predicate<repeat each Input>]) -> Predicate<repeat each Input> {
    combined(.any, predicates)
  }

  /// The predicate that holds where this one does not. May be used from any thread.
  ///
  /// What cannot be calculated, because a number does not fit, holds neither for a predicate nor for its opposite. Of
  /// several predicates write `map { $0.negated }`: Swift 6.3 crashes at any key path to a property of `Predicate`.
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

  /// Takes in what predicates of the same kind are made of, so that a condition that grows one by one stays flat.
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
