import SwiftSyntax
import SwiftSyntaxMacros

/// Implements `@ModelValue`: generates a Sendable, Codable and Hashable struct with a model's stored properties.
struct ModelValueMacro: LaidOutMacro {}

extension ModelValueMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard declaration.attributes.contains(where: { $0.as(AttributeSyntax.self)?.macroName == "Model" }),
      let model = ModelDeclaration(declaration, in: context.lexicalContext)
    else {
      context.diagnose(.valueOfNoModel, at: node, fixIt: .addModel(before: node))
      return []
    }
    // `protocols` lists only missing conformances, so it is empty for a class that inherits the conformance.
    guard !model.mayHaveSuperclass || !protocols.isEmpty else {
      context.diagnose(.valueOfSubclass(name: model.name), at: node)
      return []
    }
    let value = ValueExpansion(model: model, omissions: node.omissions)
    guard value.diagnose(in: context), model.canExpand else { return [] }
    return value.members.map(DeclSyntax.init(unparsed:))
  }
}

extension ModelValueMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let model = ModelDeclaration(declaration), model.canExpand, !protocols.isEmpty else { return [] }
    guard ValueExpansion(model: model, omissions: node.omissions).isPossible else { return [] }
    let conformance = "extension \(type.trimmedDescription): nonisolated PersistenceExtensions.ValueReadable {}"
    return [ExtensionDeclSyntax(unparsed: declaration.attributes.availability + conformance)]
  }
}

extension AttributeSyntax {
  /// The names of the omitted properties.
  fileprivate var omissions: [StringLiteralExprSyntax] {
    guard case .argumentList(let list)? = arguments else { return [] }
    return list.compactMap { $0.expression.as(StringLiteralExprSyntax.self) }
  }
}
