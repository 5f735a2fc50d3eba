import Foundation

#if !canImport(Darwin)
  // Foundation has this node on Apple's systems only. The `#Predicate` of other systems does not write it, so that the type
  // checker never tries its function for one.

  extension PredicateExpressions {
    /// Whether another predicate holds.
    ///
    /// For expressions with nodes of a program's own: a predicate takes only what can be encoded, and captured predicates
    /// cannot. To make one predicate of others, use `all(_:)`, `any(_:)` and `negated`.
    ///
    /// ```swift
    /// let both = Predicate<Trip>.all([isLong, isDue])
    /// ```
    public struct PredicateEvaluate<Condition: PredicateExpression, each Input: PredicateExpression>:
      PredicateExpression
    where Condition.Output == Predicate<repeat (each Input).Output> {
      public typealias Output = Bool

      /// The other predicate.
      public let predicate: Condition
      /// What it is asked about.
      public let input: (repeat each Input)

      public init(predicate: Condition, input: repeat each Input) {
        self.predicate = predicate
        self.input = (repeat each input)
      }

      /// Evaluates the inputs, and the other predicate with them.
      public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        try predicate.evaluate(bindings).evaluate(repeat try (each input).evaluate(bindings))
      }
    }

    /// Makes the node of another predicate's `evaluate`.
    // The name is Foundation's, on the systems where it has one.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static func build_evaluate<Condition, each Input>(
      _ predicate: Condition, _ input: repeat each Input
    ) -> PredicateEvaluate<Condition, repeat each Input> {
      PredicateEvaluate(predicate: predicate, input: repeat each input)
    }
  }

  /// Predicates with key paths cannot be encoded outside of Apple's systems, and so this node, which has none without
  /// them, neither encodes nor decodes.
  extension PredicateExpressions.PredicateEvaluate: Codable where Condition: Codable, repeat each Input: Codable {
    public init(from decoder: any Decoder) throws {
      let context = DecodingError.Context(
        codingPath: decoder.codingPath, debugDescription: "a predicate in a predicate cannot be decoded")
      throw DecodingError.dataCorrupted(context)
    }

    public func encode(to encoder: any Encoder) throws {
      let context = EncodingError.Context(
        codingPath: encoder.codingPath, debugDescription: "a predicate in a predicate cannot be encoded")
      throw EncodingError.invalidValue(self, context)
    }
  }

  extension PredicateExpressions.PredicateEvaluate: Sendable where Condition: Sendable, repeat each Input: Sendable {}

  extension PredicateExpressions.PredicateEvaluate: StandardPredicateExpression
  where Condition: StandardPredicateExpression, repeat each Input: StandardPredicateExpression {}
#endif
