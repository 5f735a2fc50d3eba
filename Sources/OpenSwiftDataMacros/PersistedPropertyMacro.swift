import SwiftSyntax
import SwiftSyntaxMacros

/// Implements `@_PersistedProperty`, which replaces a stored property by a generated variable (the slot) and accessors.
///
/// `@Model` adds the attribute to each stored property. Its argument is the index of the property.
struct PersistedPropertyMacro: LaidOutMacro {}

extension PersistedPropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = declaration.slottedProperty else { return [] }
    return SlotExpansion(property: property, index: node.propertyIndex).peers.map(DeclSyntax.init(unparsed:))
  }
}

extension PersistedPropertyMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = declaration.slottedProperty else { return [] }
    return SlotExpansion(
      property: property, index: node.propertyIndex, completion: node.completion(in: context)
    ).accessors.map(AccessorDeclSyntax.init(unparsed:))
  }
}

/// Implements `@_TransformablePersistedProperty`, the variant for a property with a value transformer.
struct TransformablePersistedPropertyMacro: LaidOutMacro {}

extension TransformablePersistedPropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    try PersistedPropertyMacro.expansion(of: node, providingPeersOf: declaration, in: context)
  }
}

extension TransformablePersistedPropertyMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    try PersistedPropertyMacro.expansion(of: node, providingAccessorsOf: declaration, in: context)
  }
}

extension DeclSyntaxProtocol {
  /// The stored property, if a slot can replace it; nil for a constant, which cannot have accessors.
  fileprivate var slottedProperty: StoredProperty? {
    self.as(VariableDeclSyntax.self).flatMap { $0.isLet ? nil : StoredProperty($0) }
  }
}

extension AttributeSyntax {
  /// The source of the property's index. In a class that may have a superclass, it adds the number of inherited
  /// properties, as in `Self._$first + 2`.
  var propertyIndex: String {
    guard case .argumentList(let list)? = arguments, let index = list.first?.expression.trimmedDescription else {
      return "0"
    }
    return list.contains { $0.label?.text == "inherits" } ? "Self.\(ModelDeclaration.firstPosition) + \(index)" : index
  }

  /// The check for completeness of the object in the property's init accessor; nil if the property needs no check.
  func completion(in context: some MacroExpansionContext) -> SlotCompletion? {
    guard case .argumentList(let list)? = arguments, let model = context.lexicalContext.first,
      let name = model.asProtocol(NamedDeclSyntax.self)?.name.trimmedDescription,
      let index = list.first(where: { $0.label?.text == "required" })?.expression.trimmedDescription,
      let count = list.first(where: { $0.label?.text == "of" })?.expression.trimmedDescription
    else { return nil }
    let modifiers = model.asProtocol(WithModifiersSyntax.self)?.modifiers
    let isFinal = modifiers?.contains { $0.name.tokenKind == .keyword(.final) } ?? false
    return SlotCompletion(
      model: name, index: index, count: count, isFinal: isFinal || model.is(ActorDeclSyntax.self))
  }
}
