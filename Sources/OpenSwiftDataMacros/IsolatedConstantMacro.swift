import SwiftSyntax
import SwiftSyntaxMacros

/// `@_IsolatedConstant`: the twin of a constant of a model that belongs to an actor.
///
/// A constant can be read anywhere, but key paths to it belong to the actor as those to a variable do.
struct IsolatedConstantMacro: PeerMacro, LaidOutMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      let property = StoredProperty(variable, isIsolated: true), property.isLet, let type = property.writtenType
    else { return [] }
    let twin = """
      \(property.twinAccess)nonisolated var \(property.twin): \(type) {
        \(property.code)
      }
      """
    return [DeclSyntax(unparsed: twin)]
  }
}
