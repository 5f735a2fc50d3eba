import SwiftSyntax

extension VariableDeclSyntax {
  var isTypeMember: Bool {
    modifiers.contains { $0.name.tokenKind == .keyword(.static) || $0.name.tokenKind == .keyword(.class) }
  }

  var isLazy: Bool {
    modifiers.contains { $0.name.tokenKind == .keyword(.lazy) }
  }

  var isOverride: Bool {
    modifiers.contains { $0.name.tokenKind == .keyword(.override) }
  }

  var isLet: Bool {
    bindingSpecifier.tokenKind == .keyword(.let)
  }

  /// The attribute with a name, whether it is written with or without its module.
  func attribute(_ name: String) -> AttributeSyntax? {
    attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.macroName == name }
  }
}

extension AttributeListSyntax {
  /// The source of the `@available` attributes of a class. A generated extension of the class must repeat them.
  var availability: String {
    compactMap { $0.as(AttributeSyntax.self) }.filter { $0.macroName == "available" }
      .map { $0.trimmedDescription + "\n" }.joined()
  }
}

extension DeclModifierListSyntax {
  /// The access modifier of the declaration. Modifiers of setters, such as `private(set)`, are ignored.
  var accessKeyword: Keyword? {
    for modifier in self where modifier.detail == nil {
      guard case .keyword(let keyword) = modifier.name.tokenKind else { continue }
      switch keyword {
      case .open, .public, .package, .internal, .fileprivate, .private: return keyword
      default: continue
      }
    }
    return nil
  }
}

extension AttributeSyntax {
  /// The name of the macro without its module.
  var macroName: String {
    if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
    if let identifier = attributeName.as(IdentifierTypeSyntax.self) { return identifier.name.text }
    return attributeName.trimmedDescription
  }

  var argumentSource: String {
    guard case .argumentList(let list)? = arguments else { return "" }
    return list.trimmedDescription
  }
}

extension PatternBindingSyntax {
  /// Whether the property is computed. A property that has only `willSet` and `didSet` is stored.
  var isComputed: Bool {
    guard let block = accessorBlock else { return false }
    switch block.accessors {
    case .getter: return true
    case .accessors(let list): return !list.allSatisfy(\.isObserver)
    }
  }

  func observer(_ keyword: Keyword) -> AccessorDeclSyntax? {
    guard case .accessors(let list)? = accessorBlock?.accessors else { return nil }
    return list.first { $0.accessorSpecifier.tokenKind == .keyword(keyword) }
  }
}

extension AccessorDeclSyntax {
  var isObserver: Bool {
    accessorSpecifier.tokenKind == .keyword(.willSet) || accessorSpecifier.tokenKind == .keyword(.didSet)
  }
}

extension TypeSyntax {
  var isOptional: Bool {
    if self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return true }
    if let identifier = self.as(IdentifierTypeSyntax.self) { return identifier.name.text == "Optional" }
    if let member = self.as(MemberTypeSyntax.self) { return member.name.text == "Optional" }
    return false
  }

  var isPersistentModel: Bool { trimmedDescription.split(separator: ".").last == "PersistentModel" }

  var isSendable: Bool { trimmedDescription.split(separator: ".").last == "Sendable" }

  /// The tokens that use one of these type names without an enclosing type: in `[Value]`, but not in `[Other.Value]`.
  func uses(of names: Set<String>) -> [TokenSyntax] {
    tokens(viewMode: .sourceAccurate).filter {
      names.contains($0.text) && ($0.parent?.is(IdentifierTypeSyntax.self) ?? false)
    }
  }

  /// The source of the type for the slot: `T!` becomes `T?`.
  var storedSource: String {
    if let unwrapped = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return "\(unwrapped.wrappedType.parenthesizedSource)?"
    }
    return trimmedDescription
  }

  /// The source of the type, in parentheses if they are needed before a `?`, as in `(any P)?`.
  var parenthesizedSource: String {
    switch kind {
    case .identifierType, .memberType, .tupleType, .arrayType, .dictionaryType, .optionalType: trimmedDescription
    default: "(\(trimmedDescription))"
    }
  }
}
