import SwiftSyntax

/// Rewrites the key paths in `#Index` and `#Unique` for the schema.
///
/// A key path through `?` cannot be composed of its parts at run time, so the schema could not compare it. A key path
/// through `!` can be composed. No value is ever read through either key path.
final class RuleKeyPaths: SyntaxRewriter {
  /// The arguments of a rule with every `?` in their key paths replaced by `!`.
  static func source(of arguments: LabeledExprListSyntax, of model: ModelDeclaration) -> String {
    RuleKeyPaths(model).rewrite(arguments).trimmedDescription
  }

  /// The nonisolated names of properties.
  private let twins: [String: String]

  private init(_ model: ModelDeclaration) {
    let isolated = model.properties.filter { $0.path != $0.code }
    twins = Dictionary(isolated.map { ($0.code, $0.path) }) { first, _ in first }
    super.init()
  }

  override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax {
    let rewritten = super.visit(node)
    guard !twins.isEmpty, var keyPath = rewritten.as(KeyPathExprSyntax.self), let first = keyPath.components.first,
      case .property(var property) = first.component, let twin = twins[property.declName.baseName.text]
    else { return rewritten }
    property.declName.baseName = .identifier(twin)
    keyPath.components = [first.with(\.component, .property(property))] + keyPath.components.dropFirst()
    return ExprSyntax(keyPath)
  }

  override func visit(_ node: KeyPathOptionalComponentSyntax) -> KeyPathOptionalComponentSyntax {
    node.with(\.questionOrExclamationMark, .exclamationMarkToken())
  }
}

/// Rewrites the key path of an inverse so that overload resolution supports isolated models. Key paths to their
/// properties are isolated, whereas the schema needs a nonisolated key path.
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
