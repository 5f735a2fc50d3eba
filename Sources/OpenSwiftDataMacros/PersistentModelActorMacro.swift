import SwiftSyntax
import SwiftSyntaxMacros

/// Implements `@ModelActor`, which generates an actor's executor, container, and initialiser with a new context.
struct PersistentModelActorMacro: MemberMacro, ExtensionMacro, LaidOutMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let actor = declaration.as(ActorDeclSyntax.self) else {
      if let (kind, name) = declaration.kindAndName {
        context.diagnose(.modelActorOnOther(kind: kind, name: name), at: node)
      }
      return []
    }
    return ModelActorDeclaration(actor, in: context.lexicalContext).members.map(DeclSyntax.init(unparsed:))
  }

  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let actor = declaration.as(ActorDeclSyntax.self), !protocols.isEmpty else { return [] }
    let conformance = "extension \(type.trimmedDescription): PersistenceCore.ModelActor {}"
    return [ExtensionDeclSyntax(unparsed: actor.attributes.availability + conformance)]
  }
}

private struct ModelActorDeclaration {
  let actor: ActorDeclSyntax
  private let access: String

  init(_ actor: ActorDeclSyntax, in lexicalContext: [Syntax]) {
    self.actor = actor
    self.access = actor.memberAccess(in: lexicalContext)
  }

  /// The generated members, without those that the actor declares itself. If it declares the executor or the container,
  /// no initialiser is generated.
  var members: [String] {
    var members: [String] = []
    if !actor.declares("modelExecutor") {
      members.append("\(access)nonisolated let modelExecutor: any PersistenceCore.ModelExecutor")
    }
    if !actor.declares("modelContainer") {
      members.append("\(access)nonisolated let modelContainer: PersistenceCore.ModelContainer")
    }
    if members.count == 2, !hasContainerInitializer { members.append(initializer) }
    if isGlobal, !actor.declares("modelContext") { members.append(globalContext) }
    return members
  }

  private var initializer: String {
    """
    \(access)init(modelContainer: PersistenceCore.ModelContainer) {
      let modelContext = PersistenceCore.ModelContext(modelContainer)
      self.modelExecutor = PersistenceCore.DefaultSerialModelExecutor(modelContext: modelContext)
      self.modelContainer = modelContainer
    }
    """
  }

  /// Uses the nonisolated `_$modelContext`: the compiler does not know that `shared` is isolated to the global actor.
  private var globalContext: String {
    """
    @\(actor.name.trimmedDescription) \(access)static var modelContext: PersistenceCore.ModelContext {
      shared._$modelContext
    }
    """
  }

  private var isGlobal: Bool {
    actor.attributes.contains { $0.as(AttributeSyntax.self)?.macroName == "globalActor" }
  }

  private var hasContainerInitializer: Bool {
    actor.memberBlock.members.contains { member in
      guard let parameters = member.decl.as(InitializerDeclSyntax.self)?.signature.parameterClause.parameters else {
        return false
      }
      return parameters.map(\.firstName.text) == ["modelContainer"]
    }
  }
}

extension DeclGroupSyntax {
  fileprivate var kindAndName: (String, String)? {
    if let type = self.as(ClassDeclSyntax.self) { return ("class", type.name.text) }
    if let type = self.as(StructDeclSyntax.self) { return ("struct", type.name.text) }
    if let type = self.as(EnumDeclSyntax.self) { return ("enum", type.name.text) }
    if let type = self.as(ProtocolDeclSyntax.self) { return ("protocol", type.name.text) }
    return nil
  }
}
