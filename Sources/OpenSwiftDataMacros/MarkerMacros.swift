import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute`: read by `@Model`; expands to nothing.
struct AttributePropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// `@Relationship`: read by `@Model`; expands to nothing.
struct RelationshipPropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// `@Transient`: read by `@Model`; diagnoses a property without a value in fetched instances.
struct TransientPropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self) else { return [] }
    for binding in variable.bindings where ModelDiagnostic.transientNeedsDefault(binding, in: variable) {
      context.diagnose(.transientWithoutDefault, at: binding, fixIt: .addDefault(to: binding, in: variable))
    }
    return []
  }
}

/// `#Unique`: read by `@Model`; expands to nothing.
struct UniqueConstraintsMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// `#Index`: read by `@Model`; expands to nothing.
struct IndexMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}
