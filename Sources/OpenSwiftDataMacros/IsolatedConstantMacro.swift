import SwiftSyntax
import SwiftSyntaxMacros

/// `@_IsolatedConstant`: the nonisolated counterpart of an isolated model's constant.
///
/// A constant can be read in any isolation, but key paths to it are isolated as those to a variable are.
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
