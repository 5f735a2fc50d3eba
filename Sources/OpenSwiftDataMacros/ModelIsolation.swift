import SwiftSyntax

/// Which actor the properties of a model belong to.
enum ModelIsolation {
  /// None: the model belongs to whoever may use its context.
  case none
  /// The global actor that the class is isolated to.
  case globalActor
  /// The model itself, which is an actor.
  case actor

  /// Nil for a declaration that cannot be a model.
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
  /// The global actor that the class is isolated to, as its source spells it.
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
  /// Whether the attribute is a global actor, as far as its source tells: its name says so, or `@Model` does.
  var namesGlobalActor: Bool {
    if macroName == "Model" { return argumentLabels.first == "isolatedTo" }
    return arguments == nil && macroName.hasSuffix("Actor") && macroName != "ModelActor"
  }

  /// The type whose metatype `@Model(isolatedTo:)` is given.
  fileprivate var isolatingType: String? {
    guard case .argumentList(let list)? = arguments, argumentLabels.first == "isolatedTo" else { return nil }
    return list.first?.expression.as(MemberAccessExprSyntax.self)?.base?.trimmedDescription
  }

  /// What `@Model(originalName:)` is given, as its source spells it.
  var originalName: String? {
    guard case .argumentList(let list)? = arguments else { return nil }
    return list.first { $0.label?.text == "originalName" }?.expression.trimmedDescription
  }

  private var argumentLabels: [String] {
    guard case .argumentList(let list)? = arguments else { return [] }
    return list.compactMap { $0.label?.text }
  }
}
