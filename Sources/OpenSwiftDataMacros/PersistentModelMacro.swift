import SwiftSyntax
import SwiftSyntaxMacros

/// Implements `@Model`, which makes a class or an actor persistent.
struct PersistentModelMacro: LaidOutMacro {
  /// Returns the parsed declaration. If `@Model` cannot be applied to it, reports an error and returns nil.
  static func model(
    _ declaration: some DeclGroupSyntax, of node: AttributeSyntax, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) -> ModelDeclaration? {
    if let model = ModelDeclaration(declaration, in: context.lexicalContext) {
      // `protocols` lists only missing conformances, so it is empty for a class that inherits the conformance.
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

extension PersistentModelMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    if let initializer = member.as(InitializerDeclSyntax.self) {
      guard let model = ModelDeclaration(declaration, in: context.lexicalContext), model.canExpand,
        model.keepsOutOfLine(initializer)
      else {
        return []
      }
      return [AttributeSyntax(unparsed: "inline(never)")]
    }
    guard let variable = member.as(VariableDeclSyntax.self), let property = StoredProperty(variable) else { return [] }
    guard !property.isLet else {
      return twinAttribute(of: variable, in: ModelDeclaration(declaration, in: context.lexicalContext))
    }
    guard variable.attribute("_PersistedProperty") == nil, variable.attribute("_TransformablePersistedProperty") == nil,
      variable.attribute("_IsolatedPersistedProperty") == nil,
      let model = ModelDeclaration(declaration, in: context.lexicalContext), model.canExpand,
      let index = model.index(of: property.name)
    else { return [] }
    let name =
      model.isIsolated
      ? "_IsolatedPersistedProperty"
      : property.isTransformable ? "_TransformablePersistedProperty" : "_PersistedProperty"
    let inherits = model.mayHaveSuperclass ? ", inherits: true" : ""
    let required = model.requiredProperties
    let completion = required.firstIndex(of: property.name).map { ", required: \($0), of: \(required.count)" } ?? ""
    return [AttributeSyntax(unparsed: "PersistenceCore.\(name)(\(index)\(inherits)\(completion))")]
  }

  /// The attribute `@_IsolatedConstant` for a constant that needs a nonisolated twin; otherwise an empty array.
  private static func twinAttribute(of constant: VariableDeclSyntax, in model: ModelDeclaration?) -> [AttributeSyntax] {
    guard let model, model.isIsolated, model.canExpand, constant.attribute("_IsolatedConstant") == nil,
      let property = StoredProperty(constant, isIsolated: true), property.hasTwin, model.index(of: property.name) != nil
    else { return [] }
    return [AttributeSyntax(unparsed: "PersistenceCore._IsolatedConstant")]
  }
}

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

  /// Declares that a rejected actor is `Sendable`. Swift does not add this conformance to an actor if a macro may add
  /// it, and without the conformance the compiler would report further errors.
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
      // `@preconcurrency`, because the arguments of an actor's initialiser must be Sendable, but the requirement of the
      // protocol does not declare that.
      let attribute = isolation == .actor ? "@preconcurrency" : "nonisolated"
      return "extension \(name): \(attribute) PersistenceCore.PersistentModel {}"
    case "Observable":
      // Not `Observation.Observable`, because the program may have a type named `Observation`.
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

// Generated code that makes the compiler report an error for a property whose type cannot be stored.

extension MemberExpansion {
  /// A method that is never called. The compiler checks the types of the properties when it compiles the method.
  ///
  /// The methods that read and write rows accept any type: they are nonisolated, so they cannot use a conformance that
  /// is isolated to an actor, such as an `Encodable` conformance in a module whose default isolation is the main actor.
  /// This method is isolated to the main actor or the model's global actor, where such a conformance is visible.
  var storableMembers: [String] {
    let requirements = model.properties.filter(\.mayBeUnstorable).map(requirement)
    guard !requirements.isEmpty else { return [] }
    return [
      """
      \(model.isolation == .globalActor ? "" : "@_Concurrency.MainActor ")private func _$requireStorable() {
        \(requirements.joined(separator: "\n  "))
      }
      """
    ]
  }

  private func requirement(_ property: StoredProperty) -> String {
    guard property.isLet, let type = property.writtenType else {
      return "_PersistenceRuntime._$Storable.variable(\(property.slot))"
    }
    return "_PersistenceRuntime._$Storable.constant((\(type)).self)"
  }
}

extension StoredProperty {
  /// Whether the source does not show that the type can be stored, so that the compiler must check it.
  fileprivate var mayBeUnstorable: Bool {
    guard !isTransformable else { return false }
    guard let type else { return initializer.map { !$0.isLiteral } ?? false }
    return !Self.valueTypes.contains(type.innermostName)
  }
}
