import SwiftSyntax

/// Rewrites the key paths in `#Index` and `#Unique`, so that the schema can find the properties that they name.
///
/// The schema compares these key paths with key paths that it composes of two parts at run time. Key paths with `?`
/// cannot be composed in this way, so each `?` is replaced by `!`. No value is ever read through such a key path.
final class RuleKeyPaths: SyntaxRewriter {
  /// The source of the arguments of `#Index` or `#Unique`, with rewritten key paths.
  static func source(of arguments: LabeledExprListSyntax, of model: ModelDeclaration) -> String {
    RuleKeyPaths(model).rewrite(arguments).trimmedDescription
  }

  /// For an isolated model, the names of the nonisolated twins by the names of the properties.
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

/// Rewrites the key path after `inverse:` in `@Relationship` to a call of `_$inverse`. The schema needs a nonisolated
/// key path, but key paths to the properties of an isolated model are isolated. Only the compiler knows whether the
/// inverse's model is isolated; it selects the overload of `_$inverse`.
final class InverseKeyPaths: SyntaxRewriter {
  /// The source of the arguments of `@Relationship`, with the rewritten key path.
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
