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

  /// Restores the inherent conformance of an actor, which it loses if a macro declares one.
  private static func conformancesOfRefusedActor(
    _ declaration: some DeclGroupSyntax, _ name: String, _ protocols: [TypeSyntax]
  ) -> [String] {
    guard declaration.is(ActorDeclSyntax.self), protocols.contains(where: { $0.isSendable }) else { return [] }
    return ["extension \(name): Swift.Sendable {}"]
  }

  private static func conformance(
    of name: String, to protocolType: TypeSyntax, _ isolation: ModelIsolation
  ) -> String {
    switch protocolType.trimmedDescription.split(separator: ".").last {
    case "PersistentModel":
      return "extension \(name): nonisolated PersistenceCore.PersistentModel {}"
    case "Observable":
      // Qualified by the re-exporting module: the program may have a type named `Observation`.
      return "extension \(name): nonisolated PersistenceCore.Observable {}"
    default: break
    }
    guard isolation == .none else { return "extension \(name): Swift.Sendable {}" }
    return """
      @available(*, unavailable, message: "a model belongs to its context and cannot cross to another task or actor; send its persistentModelID and look the model up there")
      extension \(name): Swift.Sendable {}
      """
  }
}
