import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute`: read by `@Model`, adds nothing itself.
struct AttributePropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// `@Relationship`: read by `@Model`, adds nothing itself.
struct RelationshipPropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// `@Transient`: read by `@Model`; checks that the property can be made without a stored value.
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

/// `#Unique`: read by `@Model`, adds nothing itself.
struct UniqueConstraintsMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// `#Index`: read by `@Model`, adds nothing itself.
struct IndexMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}
