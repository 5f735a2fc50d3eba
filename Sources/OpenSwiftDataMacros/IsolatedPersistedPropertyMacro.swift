import SwiftSyntax
import SwiftSyntaxMacros

/// `@_IsolatedPersistedProperty`: `@_PersistedProperty` for a property of an isolated model.
struct IsolatedPersistedPropertyMacro: LaidOutMacro {
  private static func expansion(
    of node: AttributeSyntax, on declaration: some DeclSyntaxProtocol, completion: SlotCompletion? = nil
  ) -> IsolatedSlotExpansion? {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      let property = StoredProperty(variable, isIsolated: true), !property.isLet
    else { return nil }
    return IsolatedSlotExpansion(
      plain: SlotExpansion(property: property, index: node.propertyIndex, completion: completion))
  }
}

extension IsolatedPersistedPropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    (expansion(of: node, on: declaration, completion: node.completion(in: context))?.peers ?? [])
      .map(DeclSyntax.init(unparsed:))
  }
}

extension IsolatedPersistedPropertyMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    (expansion(of: node, on: declaration, completion: node.completion(in: context))?.accessors ?? [])
      .map(AccessorDeclSyntax.init(unparsed:))
  }
}
