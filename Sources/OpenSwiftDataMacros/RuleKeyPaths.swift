import SwiftSyntax

/// Rewrites the key paths in `#Index` and `#Unique` for the schema.
///
/// A key path through `?` cannot be put together from its parts at run time, so that the schema could not recognise it;
/// one through `!` can. Nobody reads a value through either.
final class RuleKeyPaths: SyntaxRewriter {
  /// The arguments of a rule with every `?` in their key paths replaced.
  static func source(of arguments: LabeledExprListSyntax) -> String {
    RuleKeyPaths().rewrite(arguments).trimmedDescription
  }

  override func visit(_ node: KeyPathOptionalComponentSyntax) -> KeyPathOptionalComponentSyntax {
    node.with(\.questionOrExclamationMark, .exclamationMarkToken())
  }
}
