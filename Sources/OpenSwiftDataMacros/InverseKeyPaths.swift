import SwiftSyntax

/// Rewrites the key path of an inverse so that overload resolution handles an isolated model: key paths to its
/// properties are isolated, and the schema needs a nonisolated one.
final class InverseKeyPaths: SyntaxRewriter {
  /// The source of the arguments of `@Relationship`.
  static func source(of arguments: AttributeSyntax.Arguments?) -> String {
    guard case .argumentList(let list)? = arguments else { return "" }
    return InverseKeyPaths().rewrite(list).trimmedDescription
  }

  override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax {
    guard let root = node.root else { return ExprSyntax(node) }
    let components = node.components.trimmedDescription
    return "_PersistenceRuntime._$inverse(\(raw: root.trimmedDescription).self, \\\(raw: components))"
  }
}
