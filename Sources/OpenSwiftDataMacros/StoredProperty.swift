import SwiftSyntax

/// One stored, persisted property of a model, as its source declares it.
struct StoredProperty {
  let variable: VariableDeclSyntax
  let binding: PatternBindingSyntax
  /// The name as source must write it, with backticks where it has them.
  let code: String
  /// The name as the schema has it.
  let name: String
  /// Whether the property belongs to an actor, so that generated code reaches it by ways of its own.
  let isIsolated: Bool

  var type: TypeSyntax? { binding.typeAnnotation?.type }
  var initializer: ExprSyntax? { binding.initializer?.value }
  var isLet: Bool { variable.isLet }
  /// The name of the slot that holds the value.
  var slot: String { isIsolated ? "_$slot_\(name)" : "_\(name)" }
  /// The part of a key path that leads from the model to the property, wherever it is written.
  var path: String { hasTwin ? "_\(name)" : code }
  /// Whether key paths to the property belong to an actor, those to a constant too, so that it has a twin for them.
  var hasTwin: Bool { isIsolated && !(isLet && variable.isNonisolated) }
  var attribute: AttributeSyntax? { variable.attribute("Attribute") }
  var relationship: AttributeSyntax? { variable.attribute("Relationship") }

  var isTransformable: Bool { tokens(ofOption: "transformable").contains { $0.startsCall } }

  /// Whether the column may hold something in the place of the value: the name of a file, or what is encrypted.
  var isEnveloped: Bool { hasOption("externalStorage") || hasOption("encrypt") }

  private func hasOption(_ name: String) -> Bool { !tokens(ofOption: name).isEmpty }

  private func tokens(ofOption name: String) -> [TokenSyntax] {
    attribute?.arguments?.tokens(viewMode: .sourceAccurate).filter { $0.tokenKind == .identifier(name) } ?? []
  }

  /// The property of a declaration, or nil when the declaration stores nothing that is persisted.
  init?(_ variable: VariableDeclSyntax, isIsolated: Bool = false) {
    guard variable.bindings.count == 1, let binding = variable.bindings.first else { return nil }
    guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else { return nil }
    guard !binding.isComputed, !variable.isTypeMember, !variable.isLazy, !variable.isOverride else { return nil }
    guard variable.attribute("Transient") == nil else { return nil }
    // A constant with a value of its own is the same in every instance: there is nothing to store.
    guard !(variable.isLet && binding.initializer != nil) else { return nil }
    self.variable = variable
    self.binding = binding
    self.code = pattern.identifier.text
    self.name = pattern.identifier.text.trimmingBackticks
    self.isIsolated = isIsolated
  }

  /// The source of the default value with the type that the property gives it.
  var typedDefault: String? {
    if let initializer {
      guard let type else { return initializer.trimmedDescription }
      return "(\(initializer.trimmedDescription)) as \(type.storedSource)"
    }
    guard let type, type.isOptional, !isLet else { return nil }
    return "nil as \(type.storedSource)"
  }

  /// The source of the metadata that an annotation carries: its arguments, spelled as a value of the schema.
  var metadataSource: String {
    if let relationship {
      let source = "PersistenceCore.Schema.Relationship(\(InverseKeyPaths.source(of: relationship.arguments)))"
      return relationship.deniesInverse ? source + "._$withoutInverse()" : source
    }
    if let attribute { return attributeSource(attribute) }
    return "nil"
  }

  /// The mark tells the schema that the row is read and written through envelopes, as the source was seen to ask for.
  private func attributeSource(_ attribute: AttributeSyntax) -> String {
    let source = "PersistenceCore.Schema.Attribute(\(attribute.argumentSource))"
    return isEnveloped ? source + "._$enveloped()" : source
  }
}

extension TokenSyntax {
  /// Whether it is called: an option without arguments, as the betas had of this name, is another one.
  fileprivate var startsCall: Bool { nextToken(viewMode: .sourceAccurate)?.tokenKind == .leftParen }
}

extension String {
  var trimmingBackticks: String {
    count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
  }
}
