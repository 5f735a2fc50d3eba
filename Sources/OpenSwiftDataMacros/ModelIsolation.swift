import SwiftSyntax

/// The isolation of a model's properties.
enum ModelIsolation {
  /// The properties are nonisolated. The model may only be used on the thread or actor of its context.
  case none
  /// The class is isolated to a global actor.
  case globalActor
  /// The model is an actor.
  case actor

  /// Returns nil for a declaration that cannot be a model.
  init?(_ declaration: some DeclGroupSyntax) {
    if let actor = declaration.as(ActorDeclSyntax.self) {
      guard actor.distributedModifier == nil else { return nil }
      self = .actor
    } else if declaration.is(ClassDeclSyntax.self) {
      let isIsolated = declaration.attributes.contains { $0.as(AttributeSyntax.self)?.namesGlobalActor ?? false }
      self = isIsolated ? .globalActor : .none
    } else {
      return nil
    }
  }
}

extension ModelDeclaration {
  /// The name of the global actor to which the class is isolated.
  var globalActor: String? {
    guard isolation == .globalActor else { return nil }
    let attributes = declaration.attributes.compactMap { $0.as(AttributeSyntax.self) }
    let named = attributes.first { $0.namesGlobalActor && $0.macroName != "Model" }
    return named?.attributeName.trimmedDescription ?? attributes.lazy.compactMap(\.isolatingType).first
  }
}

extension ActorDeclSyntax {
  var distributedModifier: DeclModifierSyntax? {
    modifiers.first { $0.name.tokenKind == .keyword(.distributed) }
  }
}

extension AttributeSyntax {
  /// Whether the attribute names a global actor: its name ends in `Actor`, or it is `@Model(isolatedTo:)`.
  var namesGlobalActor: Bool {
    if macroName == "Model" { return argumentLabels.first == "isolatedTo" }
    return arguments == nil && macroName.hasSuffix("Actor") && macroName != "ModelActor"
  }

  /// The actor type in `@Model(isolatedTo:)`.
  fileprivate var isolatingType: String? {
    guard case .argumentList(let list)? = arguments, argumentLabels.first == "isolatedTo" else { return nil }
    return list.first?.expression.as(MemberAccessExprSyntax.self)?.base?.trimmedDescription
  }

  /// The source of the argument of `@Model(originalName:)`.
  var originalName: String? {
    guard case .argumentList(let list)? = arguments else { return nil }
    return list.first { $0.label?.text == "originalName" }?.expression.trimmedDescription
  }

  private var argumentLabels: [String] {
    guard case .argumentList(let list)? = arguments else { return [] }
    return list.compactMap { $0.label?.text }
  }
}
