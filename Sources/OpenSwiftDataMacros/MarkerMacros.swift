import SwiftSyntax
import SwiftSyntaxMacros

/// Implements `@Attribute`, which generates no code: `@Model` reads its arguments.
struct AttributePropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// Implements `@Relationship`, which generates no code: `@Model` reads its arguments.
struct RelationshipPropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// Implements `@Transient`, which generates no code: `@Model` does not store such a property. Reports an error if the
/// property has no default, because a fetched model would have no value for it.
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

/// Implements `#Unique`, which generates no code: `@Model` reads its arguments.
struct UniqueConstraintsMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// Implements `#Index`, which generates no code: `@Model` reads its arguments.
struct IndexMacro: DeclarationMacro {
  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}
