import SwiftSyntax
import SwiftSyntaxMacros

extension PersistentModelMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    let name = type.trimmedDescription
    let conformances =
      if let model = ModelDeclaration(declaration), model.canExpand {
        protocols.map { conformance(of: name, to: $0, model.isolation) }
      } else {
        conformancesOfRefusedActor(declaration, name, protocols)
      }
    return conformances.map { ExtensionDeclSyntax(unparsed: declaration.attributes.availability + $0) }
  }

  /// An actor loses the conformance that it has of itself when a macro announces one; it gets it back.
  private static func conformancesOfRefusedActor(
    _ declaration: some DeclGroupSyntax, _ name: String, _ protocols: [TypeSyntax]
  ) -> [String] {
    guard declaration.is(ActorDeclSyntax.self), protocols.contains(where: { $0.isSendable }) else { return [] }
    return ["extension \(name): Sendable {}"]
  }

  private static func conformance(
    of name: String, to protocolType: TypeSyntax, _ isolation: ModelIsolation
  ) -> String {
    switch protocolType.trimmedDescription.split(separator: ".").last {
    case "PersistentModel":
      return "extension \(name): nonisolated PersistenceCore.PersistentModel {}"
    case "Observable":
      // Spelled with the module that re-exports it: a model of the program may itself be named `Observation`.
      return "extension \(name): nonisolated PersistenceCore.Observable {}"
    default: break
    }
    guard isolation == .none else { return "extension \(name): Sendable {}" }
    return """
      @available(*, unavailable, message: "a model belongs to its context and cannot cross to another task or actor; send its persistentModelID and look the model up there")
      extension \(name): Sendable {}
      """
  }
}
