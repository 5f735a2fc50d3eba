import Foundation

#if !canImport(Darwin)
  // On Apple's systems this node is part of Foundation. Elsewhere `#Predicate` does not generate the node, so the type
  // checker never tries its builder function.

  extension PredicateExpressions {
    /// Evaluates another predicate.
    ///
    /// Use it in expressions with custom nodes. `#Predicate` cannot generate this node: it captures only Codable
    /// values, and predicates are not Codable. Combine predicates by `all(_:)`, `any(_:)` and `negated` instead.
    ///
    /// ```swift
    /// let both = Predicate<Trip>.all([isLong, isDue])
    /// ```
    public struct PredicateEvaluate<Condition: PredicateExpression, each Input: PredicateExpression>:
      PredicateExpression
    where Condition.Output == Predicate<repeat (each Input).Output> {
      /// The type of the result.
      public typealias Output = Bool

      /// The other predicate.
      public let predicate: Condition
      /// The inputs of the other predicate.
      public let input: (repeat each Input)

      /// Creates the node.
      ///
      /// - Parameters:
      ///   - predicate: The other predicate.
      ///   - input: Its inputs.
      public init(predicate: Condition, input: repeat each Input) {
        self.predicate = predicate
        self.input = (repeat each input)
      }

      /// Evaluates the inputs, and the other predicate with them.
      ///
      /// - Parameter bindings: The values of the variables.
      /// - Returns: The result of the other predicate.
      /// - Throws: The error of an operand.
      public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        try predicate.evaluate(bindings).evaluate(repeat try (each input).evaluate(bindings))
      }
    }

    /// Creates the node for a call of `evaluate` of another predicate.
    ///
    /// - Parameters:
    ///   - predicate: The other predicate.
    ///   - input: Its inputs.
    // On Apple's systems Foundation has a function of this name.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static func build_evaluate<Condition, each Input>(
      _ predicate: Condition, _ input: repeat each Input
    ) -> PredicateEvaluate<Condition, repeat each Input> {
      PredicateEvaluate(predicate: predicate, input: repeat each input)
    }
  }

  /// Coding always throws. Outside of Apple's systems, predicates that contain key paths are not Codable, and a
  /// predicate with this node contains key paths.
  extension PredicateExpressions.PredicateEvaluate: Codable where Condition: Codable, repeat each Input: Codable {
    /// Always throws.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
      let context = DecodingError.Context(
        codingPath: decoder.codingPath, debugDescription: "a predicate in a predicate cannot be decoded")
      throw DecodingError.dataCorrupted(context)
    }

    /// Always throws.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: `EncodingError`.
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
