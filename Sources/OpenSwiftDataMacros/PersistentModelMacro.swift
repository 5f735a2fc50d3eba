import SwiftSyntax
import SwiftSyntaxMacros

/// `@Model`: makes a class or an actor persistent.
///
/// Its roles have files of their own: members, attributes of members, conformances.
struct PersistentModelMacro: LaidOutMacro {
  /// The model, or nil after a diagnostic.
  static func model(
    _ declaration: some DeclGroupSyntax, of node: AttributeSyntax, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) -> ModelDeclaration? {
    if let model = ModelDeclaration(declaration, in: context.lexicalContext) {
      // `protocols` lists the missing conformances, so it is empty for a class that inherits the conformance.
      let lacksConformance = protocols.contains { $0.isPersistentModel }
      if model.isActor, !lacksConformance, model.inheritsSomething {
        context.diagnose(.isolatedSubclass(name: model.name), at: model.nameToken)
        return nil
      }
      guard model.mayHaveSuperclass, !lacksConformance else { return model }
      return ModelDeclaration(declaration, in: context.lexicalContext, isSubmodel: true)
    }
    diagnoseKind(of: declaration, at: node, in: context)
    return nil
  }

  private static func diagnoseKind(
    of declaration: some DeclGroupSyntax, at node: AttributeSyntax, in context: some MacroExpansionContext
  ) {
    if let actor = declaration.as(ActorDeclSyntax.self) {
      context.diagnose(.distributedActor(name: actor.name.text), at: node, fixIt: .removeDistributed(from: actor))
    } else if let type = declaration.as(StructDeclSyntax.self) {
      context.diagnose(
        .notAClass(kind: "struct", name: type.name.text), at: node, fixIt: .makeClass(type.structKeyword))
    } else if let type = declaration.as(EnumDeclSyntax.self) {
      context.diagnose(.notAClass(kind: "enum", name: type.name.text), at: node, fixIt: .makeClass(type.enumKeyword))
    } else if let type = declaration.as(ProtocolDeclSyntax.self) {
      context.diagnose(.notAClass(kind: "protocol", name: type.name.text), at: node)
    } else if let type = declaration.as(ExtensionDeclSyntax.self) {
      context.diagnose(.modelOnExtension(name: type.extendedType.trimmedDescription), at: node)
    }
  }
}
