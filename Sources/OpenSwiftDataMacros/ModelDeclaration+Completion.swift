import SwiftSyntax

// No code runs after an initialiser. But where generated code hears of every property that an initialiser has to give a
// value, it knows when the last of them has one, and with it the object is complete.
//
// What the class stores besides has a value before: the initialisers that are generated give it none, and would not compile.

extension ModelDeclaration {
  /// The properties that an initialiser has to give a value, in order; empty when that does not tell when an object is
  /// complete, or when nobody asks.
  var requiredProperties: [String] {
    // Accessors of a generic class, specialised, give slots back to be stored when they are done.
    guard properties.contains(where: \.mayBeRelationship), !isExtendedByOthers, !isGeneric else { return [] }
    let names = properties.filter { !$0.hasImplicitValue && !$0.isLet }.map(\.name)
    return initializersTell(of: names) ? names : []
  }

  /// Whether an object is complete as soon as properties have values, after any of the initialisers.
  private func initializersTell(of names: [String]) -> Bool {
    let constants = Set(properties.filter(\.isLet).map(\.name))
    let relationships = Set(properties.filter(\.mayBeRelationship).map(\.name))
    return designatedInitializers.allSatisfy { initializer in
      guard !initializer.isForcedInline else { return false }
      // That of an actor runs anywhere, and asks when it runs.
      if isolation == .globalActor, initializer.mayRunElsewhere { return false }
      // Where nothing takes the object back, nor another value for what it joined by, it is complete whichever way its
      // values came.
      let mustBeCertain = initializer.canFail || initializer.setsAgain(relationships)
      guard mustBeCertain || !constants.isEmpty else { return true }
      return !isRewritten(initializer)
        && initializer.tellsCompletion(of: Set(names), constants: constants, mustBeCertain: mustBeCertain)
    }
  }

  /// Whether another macro may have changed what the initialiser does.
  private func isRewritten(_ initializer: InitializerDeclSyntax) -> Bool {
    initializer.attributes.contains { element in
      guard let attribute = element.as(AttributeSyntax.self) else { return true }
      return !isKnown(attribute) && !attribute.namesGlobalActor
    }
  }

  /// The initialisers that give properties their first values; a class has all of them in its own braces.
  private var designatedInitializers: [InitializerDeclSyntax] {
    declaration.memberBlock.members.initializers.filter(\.isDesignated)
  }

  /// Whether other macros may have added initialisers, which this one does not see.
  private var isExtendedByOthers: Bool { !extensionsByOthers(besides: "Model").isEmpty }

  /// What may be macros that add initialisers to the class.
  ///
  /// - Parameter own: The name of the macro that asks.
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

  /// Attributes that neither add initialisers nor change one.
  private static let knownAttributes: Set<String> = [
    "Model", "ModelValue", "available", "discardableResult", "dynamicCallable", "dynamicMemberLookup", "frozen",
    "inlinable", "inline", "objc", "objcMembers", "preconcurrency", "safe", "unsafe", "usableFromInline",
  ]

  /// Whether an initialiser must stay a function of its own.
  ///
  /// The object that it makes may be kept by a context without anything in the initialiser that says so to the compiler.
  /// Where it is called, the compiler would take an object that nobody uses for one that it may lay on the stack.
  func keepsOutOfLine(_ initializer: InitializerDeclSyntax) -> Bool {
    initializer.isDesignated && initializer.inlining == nil && (mayHaveSuperclass || !requiredProperties.isEmpty)
  }
}

extension StoredProperty {
  /// Whether the property has a value before an initialiser gives it one.
  var hasImplicitValue: Bool { initializer != nil || (!isLet && (type?.isOptional ?? false)) }
}

extension MemberBlockItemListSyntax {
  /// The initialisers, those in conditions of the build included.
  fileprivate var initializers: [InitializerDeclSyntax] {
    flatMap { member -> [InitializerDeclSyntax] in
      if let initializer = member.decl.as(InitializerDeclSyntax.self) { return [initializer] }
      return (member.decl.as(IfConfigDeclSyntax.self)?.clauses ?? []).flatMap { clause -> [InitializerDeclSyntax] in
        guard case .decls(let members)? = clause.elements else { return [] }
        return members.initializers
      }
    }
  }
}

extension InitializerDeclSyntax {
  /// Whether the initialiser leaves nothing to another one. An actor's does not say so.
  fileprivate var isDesignated: Bool {
    guard !modifiers.contains(where: { $0.name.tokenKind == .keyword(.convenience) }) else { return false }
    let tokens = Array(body?.tokens(viewMode: .sourceAccurate).map(\.tokenKind) ?? [])
    return !tokens.indices.dropFirst(2).contains {
      tokens[$0] == .keyword(.`init`) && tokens[$0 - 1] == .period && tokens[$0 - 2] == .keyword(.self)
    }
  }

  /// What the source says about whether calls become the code itself.
  fileprivate var inlining: AttributeSyntax? {
    attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }
      .first { ["inline", "_transparent", "_alwaysEmitIntoClient"].contains($0.macroName) }
  }

  fileprivate var isForcedInline: Bool {
    guard let inlining else { return false }
    return inlining.macroName != "inline" || inlining.arguments?.trimmedDescription != "never"
  }

  /// Whether the initialiser of a class that belongs to an actor may run outside of it.
  fileprivate var mayRunElsewhere: Bool {
    modifiers.contains { $0.name.tokenKind == .keyword(.nonisolated) }
      || attributes.contains { $0.as(AttributeSyntax.self)?.namesGlobalActor ?? true }
      || signature.parameterClause.tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.isolated) }
  }
}
