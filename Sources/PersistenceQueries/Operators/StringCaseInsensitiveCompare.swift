import Foundation
import PersistenceRuntime

#if !canImport(Darwin)
  // Foundation has this node on Apple's systems only; `#Predicate` writes calls of the function everywhere.

  extension PredicateExpressions {
    /// How a text compares with another one, whatever the case of its letters.
    ///
    /// The node that `#Predicate { $0.name.caseInsensitiveCompare("x") == same }` is made of, with a captured
    /// `ComparisonResult`.
    public struct StringCaseInsensitiveCompare<
      Root: PredicateExpression, Other: PredicateExpression
    >: PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
      public typealias Output = ComparisonResult

      /// The text on the left.
      public let root: Root
      /// The text on the right.
      public let other: Other

      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      /// Evaluates both texts and compares them.
      public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
        try LocalizedComparison.compare(
          String(root.evaluate(bindings)), String(other.evaluate(bindings)), .caseInsensitive)
      }
    }

    /// Makes the node of a call of `caseInsensitiveCompare`; for `#Predicate`.
    // The name is what the macro writes.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static func build_caseInsensitiveCompare<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringCaseInsensitiveCompare<Root, Other> {
      StringCaseInsensitiveCompare(root: root, other: other)
    }
  }

  extension PredicateExpressions.StringCaseInsensitiveCompare: Codable where Root: Codable, Other: Codable {
    public init(from decoder: any Decoder) throws {
      let operands = try OperandPair<Root, Other>(from: decoder)
      self.init(root: operands.first, other: operands.second)
    }

    public func encode(to encoder: any Encoder) throws {
      try OperandPair(first: root, second: other).encode(to: encoder)
    }
  }

  extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable where Root: Sendable, Other: Sendable {}

  extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
#endif
