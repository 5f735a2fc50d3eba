import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

extension PersistentModelMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let model = ModelDeclaration(declaration), model.canExpand else {
      return try refusedActor(declaration, type, protocols)
    }
    let availability = declaration.attributes.availability
    return try protocols.map { protocolType in
      var conformance = try conformance(of: type, to: protocolType, model.isolation)
      conformance.attributes = AttributeListSyntax(Array(availability) + Array(conformance.attributes))
      return conformance
    }
  }

  /// An actor loses the conformance that it has of itself when a macro announces one; it gets it back.
  private static func refusedActor(
    _ declaration: some DeclGroupSyntax, _ type: some TypeSyntaxProtocol, _ protocols: [TypeSyntax]
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(ActorDeclSyntax.self), protocols.contains(where: { $0.isSendable }) else { return [] }
    return [try ExtensionDeclSyntax("extension \(raw: type.trimmedDescription): Sendable {}")]
  }

  private static func conformance(
    of type: some TypeSyntaxProtocol, to name: TypeSyntax, _ isolation: ModelIsolation
  ) throws -> ExtensionDeclSyntax {
    let type = type.trimmedDescription
    switch name.trimmedDescription.split(separator: ".").last {
    case "PersistentModel":
      return try ExtensionDeclSyntax("extension \(raw: type): nonisolated PersistenceCore.PersistentModel {}")
    case "Observable":
      // Spelled with the module that re-exports it: a model of the program may itself be named `Observation`.
      return try ExtensionDeclSyntax("extension \(raw: type): nonisolated PersistenceCore.Observable {}")
    default: break
    }
    guard isolation == .none else { return try ExtensionDeclSyntax("extension \(raw: type): Sendable {}") }
    return try ExtensionDeclSyntax(
      """
      @available(*, unavailable, message: "a model belongs to its context and cannot cross to another task or actor; send its persistentModelID and look the model up there")
      extension \(raw: type): Sendable {}
      """)
  }
}
