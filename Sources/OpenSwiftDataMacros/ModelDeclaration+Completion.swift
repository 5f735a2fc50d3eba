import SwiftSyntax

// If an initialiser relates the new object to an object in a context, the new object is inserted into this context as
// soon as it is complete. No generated code runs after an initialiser. So each variable that every initialiser must set
// has an init accessor that records the assignment. The accessor that records the last of these assignments knows that
// the object is complete.
//
// Other stored variables have defaults, because generated initialisers do not set them. Constants must be set earlier.

extension ModelDeclaration {
  /// The properties that every initialiser must set, in the order of declaration. Empty if the class has no
  /// relationships, or if these properties do not reliably show when an object is complete.
  var requiredProperties: [String] {
    // Not for generic classes: the optimiser may delay the store of a value until the property's accessor has returned.
    guard properties.contains(where: \.mayBeRelationship), !isExtendedByOthers, !isGeneric else { return [] }
    let names = properties.filter { !$0.hasImplicitValue && !$0.isLet }.map(\.name)
    return initializersTell(of: names) ? names : []
  }

  /// Returns true if, in every initialiser, the object is complete once these properties have values.
  private func initializersTell(of names: [String]) -> Bool {
    let constants = Set(properties.filter(\.isLet).map(\.name))
    let relationships = Set(properties.filter(\.mayBeRelationship).map(\.name))
    return designatedInitializers.allSatisfy { initializer in
      guard !initializer.isForcedInline else { return false }
      // A nonisolated initialiser may run outside of the class's global actor, where the context must not be used.
      if isolation == .globalActor, initializer.mayRunElsewhere { return false }
      // The compiler may consider the object complete later than the generated code does, unless the initialiser can
      // fail or assign a relationship twice.
      let mustBeCertain = initializer.canFail || initializer.setsAgain(relationships)
      guard mustBeCertain || !constants.isEmpty else { return true }
      return !isRewritten(initializer)
        && initializer.tellsCompletion(of: Set(names), constants: constants, mustBeCertain: mustBeCertain)
    }
  }

  /// Returns true if an unknown attribute of the initialiser may be a macro that changes its body.
  private func isRewritten(_ initializer: InitializerDeclSyntax) -> Bool {
    initializer.attributes.contains { element in
      guard let attribute = element.as(AttributeSyntax.self) else { return true }
      return !isKnown(attribute) && !attribute.namesGlobalActor
    }
  }

  /// The designated initialisers. Swift requires them in the class declaration, so the macro sees all of them. All
  /// other initialisers call a designated one before they do anything else.
  private var designatedInitializers: [InitializerDeclSyntax] {
    declaration.memberBlock.members.initializers.filter(\.isDesignated)
  }

  /// Whether another macro of the class may add initialisers. `@Model` does not see the expansions of other macros.
  private var isExtendedByOthers: Bool { !extensionsByOthers(besides: "Model").isEmpty }

  /// The attributes and freestanding macros of the class that may add initialisers to it.
  ///
  /// - Parameter own: The name of the macro that is being expanded.
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

  /// Attributes that are known neither to add nor to change initialisers.
  private static let knownAttributes: Set<String> = [
    "Model", "ModelValue", "available", "discardableResult", "dynamicCallable", "dynamicMemberLookup", "frozen",
    "inlinable", "inline", "objc", "objcMembers", "preconcurrency", "safe", "unsafe", "usableFromInline",
  ]

  /// Returns true if the macro must add `@inline(never)` to the initialiser.
  ///
  /// A context may retain the object during the initialiser, but the compiler does not know it. If the initialiser were
  /// inlined into code that does not use the object any further, the compiler might allocate the object on the stack.
  func keepsOutOfLine(_ initializer: InitializerDeclSyntax) -> Bool {
    initializer.isDesignated && initializer.inlining == nil && (mayHaveSuperclass || !requiredProperties.isEmpty)
  }
}

extension StoredProperty {
  /// Whether Swift gives the property a value before the initialiser runs: a default, or nil for an optional variable.
  var hasImplicitValue: Bool { initializer != nil || (!isLet && (type?.isOptional ?? false)) }
}

extension InitializerDeclSyntax {
  /// Whether the initialiser is designated: it is not marked `convenience`, and does not call `self.init`.
  fileprivate var isDesignated: Bool {
    guard !modifiers.contains(where: { $0.name.tokenKind == .keyword(.convenience) }) else { return false }
    let tokens = Array(body?.tokens(viewMode: .sourceAccurate).map(\.tokenKind) ?? [])
    return !tokens.indices.dropFirst(2).contains {
      tokens[$0] == .keyword(.`init`) && tokens[$0 - 1] == .period && tokens[$0 - 2] == .keyword(.self)
    }
  }

  /// The attribute of the initialiser that controls inlining, such as `@inline(__always)`.
  fileprivate var inlining: AttributeSyntax? {
    attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }
      .first { ["inline", "_transparent", "_alwaysEmitIntoClient"].contains($0.macroName) }
  }

  fileprivate var isForcedInline: Bool {
    guard let inlining else { return false }
    return inlining.macroName != "inline" || inlining.arguments?.trimmedDescription != "never"
  }

  /// Whether the initialiser may run outside of the global actor of its class, because it declares another isolation.
  fileprivate var mayRunElsewhere: Bool {
    modifiers.contains { $0.name.tokenKind == .keyword(.nonisolated) }
      || attributes.contains { $0.as(AttributeSyntax.self)?.namesGlobalActor ?? true }
      || signature.parameterClause.tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.isolated) }
  }
}
