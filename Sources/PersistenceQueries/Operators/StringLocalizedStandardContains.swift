import Foundation
import PersistenceRuntime

#if !canImport(Darwin)
  // Foundation has these nodes on Apple's systems only; `#Predicate` writes calls of the functions everywhere.

  extension PredicateExpressions {
    /// Whether a text contains another one as people see it: whatever the case and the accents of its letters.
    ///
    /// The node that `#Predicate { $0.name.localizedStandardContains("x") }` is made of.
    public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
      PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
      public typealias Output = Bool

      /// The text that is searched.
      public let root: Root
      /// The text that is looked for.
      public let other: Other

      public init(root: Root, other: Other) {
        self.root = root
        self.other = other
      }

      /// Evaluates both texts and searches.
      public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
        try LocalizedComparison.contains(String(root.evaluate(bindings)), String(other.evaluate(bindings)))
      }
    }

    /// Makes the node of a call of `localizedStandardContains`; for `#Predicate`.
    // The name is what the macro writes.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static func build_localizedStandardContains<Root, Other>(
      _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
      StringLocalizedStandardContains(root: root, other: other)
    }
  }

  extension PredicateExpressions.StringLocalizedStandardContains: Codable where Root: Codable, Other: Codable {
    public init(from decoder: any Decoder) throws {
      let operands = try OperandPair<Root, Other>(from: decoder)
      self.init(root: operands.first, other: operands.second)
    }

    public func encode(to encoder: any Encoder) throws {
      try OperandPair(first: root, second: other).encode(to: encoder)
    }
  }

  extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}

  extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
  where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
#endif
