import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

extension PersistentModelMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self), ModelDeclaration(declaration).hasInitializer else {
      return []
    }
    return try protocols.map { try conformance(of: type, to: $0) }
  }

  private static func conformance(of type: some TypeSyntaxProtocol, to name: TypeSyntax) throws -> ExtensionDeclSyntax {
    let type = type.trimmedDescription
    switch name.trimmedDescription.split(separator: ".").last {
    case "PersistentModel":
      return try ExtensionDeclSyntax("extension \(raw: type): nonisolated PersistenceCore.PersistentModel {}")
    case "Observable":
      // Spelled with the module that re-exports it: a model of the program may itself be named `Observation`.
      return try ExtensionDeclSyntax("extension \(raw: type): nonisolated PersistenceCore.Observable {}")
    default: break
    }
    return try ExtensionDeclSyntax(
      """
      @available(*, unavailable, message: "a model belongs to its context and cannot cross to another task or actor; send its persistentModelID and look the model up there")
      extension \(raw: type): Sendable {}
      """)
  }
}
