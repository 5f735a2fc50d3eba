import SwiftSyntax

// No code runs after an initialiser. But if generated code sees every assignment of the properties that an initialiser
// must set, the code detects when the last of them gets a value. At this point the object is complete.
//
// All other stored members have values earlier: generated initialisers do not set them, so they must have defaults.

extension ModelDeclaration {
  /// The properties that an initialiser must set, in order. Empty if these properties do not determine completion, or
  /// if no relationship requires completion.
  var requiredProperties: [String] {
    // Generic classes are excluded: their specialised accessors may write a slot back after the accessor has ended.
    guard properties.contains(where: \.mayBeRelationship), !isExtendedByOthers, !isGeneric else { return [] }
    let names = properties.filter { !$0.hasImplicitValue && !$0.isLet }.map(\.name)
    return initializersTell(of: names) ? names : []
  }

  /// Whether an object is complete when these properties have values, for every initialiser.
  private func initializersTell(of names: [String]) -> Bool {
    let constants = Set(properties.filter(\.isLet).map(\.name))
    let relationships = Set(properties.filter(\.mayBeRelationship).map(\.name))
    return designatedInitializers.allSatisfy { initializer in
      guard !initializer.isForcedInline else { return false }
      // A nonisolated initialiser may run outside of the class's isolation, where no object may enter the context.
      if isolation == .globalActor, initializer.mayRunElsewhere { return false }
      // If the initialiser can neither fail nor assign a relationship again, completion need not be certain.
      let mustBeCertain = initializer.canFail || initializer.setsAgain(relationships)
      guard mustBeCertain || !constants.isEmpty else { return true }
      return !isRewritten(initializer)
        && initializer.tellsCompletion(of: Set(names), constants: constants, mustBeCertain: mustBeCertain)
    }
  }

  /// Whether another macro may have changed the initialiser.
  private func isRewritten(_ initializer: InitializerDeclSyntax) -> Bool {
    initializer.attributes.contains { element in
      guard let attribute = element.as(AttributeSyntax.self) else { return true }
      return !isKnown(attribute) && !attribute.namesGlobalActor
    }
  }

  /// The designated initialisers, which must be in the class declaration. Other initialisers call them first.
  private var designatedInitializers: [InitializerDeclSyntax] {
    declaration.memberBlock.members.initializers.filter(\.isDesignated)
  }

  /// Whether other macros may have added initialisers that this macro does not see.
  private var isExtendedByOthers: Bool { !extensionsByOthers(besides: "Model").isEmpty }

  /// The attributes and macros that may add initialisers to the class.
  ///
  /// - Parameter own: The name of the current macro.
  func extensionsByOthers(besides own: String) -> [Syntax] {
    let attributes = declaration.attributes.compactMap { element -> Syntax? in
      guard let attribute = element.as(AttributeSyntax.self) else { return Syntax(element) }
      return isKnown(attribute) || attribute.macroName == own ? nil : Syntax(attribute)
    }
    let members = declaration.memberBlock.members.compactMap { member -> Syntax? in
      guard let expansion = member.decl.as(MacroExpansionDeclSyntax.self) else { return nil }
      return ["Index", "Unique"].contains(expansion.macroName.text) ? nil : Syntax(expansion)
    }
    return attributes + members
  }

  private func isKnown(_ attribute: AttributeSyntax) -> Bool {
    let name = attribute.macroName
    return Self.knownAttributes.contains(name) || name.hasPrefix("_") || (isIsolated && attribute.namesGlobalActor)
  }

  /// Attributes that neither add nor change initialisers.
  private static let knownAttributes: Set<String> = [
    "Model", "ModelValue", "available", "discardableResult", "dynamicCallable", "dynamicMemberLookup", "frozen",
    "inlinable", "inline", "objc", "objcMembers", "preconcurrency", "safe", "unsafe", "usableFromInline",
  ]

  /// Whether an initialiser must not be inlined.
  ///
  /// A context may retain the object although the compiler sees no trace of this in the initialiser. If the initialiser
  /// were inlined, the compiler might allocate an otherwise unused object on the stack.
  func keepsOutOfLine(_ initializer: InitializerDeclSyntax) -> Bool {
    initializer.isDesignated && initializer.inlining == nil && (mayHaveSuperclass || !requiredProperties.isEmpty)
  }
}

extension StoredProperty {
  /// Whether the property has a value before an initialiser sets the property.
  var hasImplicitValue: Bool { initializer != nil || (!isLet && (type?.isOptional ?? false)) }
}

extension InitializerDeclSyntax {
  /// Whether the initialiser is designated. Actors have no keyword for convenience initialisers.
  fileprivate var isDesignated: Bool {
    guard !modifiers.contains(where: { $0.name.tokenKind == .keyword(.convenience) }) else { return false }
    let tokens = Array(body?.tokens(viewMode: .sourceAccurate).map(\.tokenKind) ?? [])
    return !tokens.indices.dropFirst(2).contains {
      tokens[$0] == .keyword(.`init`) && tokens[$0 - 1] == .period && tokens[$0 - 2] == .keyword(.self)
    }
  }

  /// The attribute that controls inlining.
  fileprivate var inlining: AttributeSyntax? {
    attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }
      .first { ["inline", "_transparent", "_alwaysEmitIntoClient"].contains($0.macroName) }
  }

  fileprivate var isForcedInline: Bool {
    guard let inlining else { return false }
    return inlining.macroName != "inline" || inlining.arguments?.trimmedDescription != "never"
  }

  /// Whether the initialiser of an isolated class may run outside of the isolation.
  fileprivate var mayRunElsewhere: Bool {
    modifiers.contains { $0.name.tokenKind == .keyword(.nonisolated) }
      || attributes.contains { $0.as(AttributeSyntax.self)?.namesGlobalActor ?? true }
      || signature.parameterClause.tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.isolated) }
  }
}
