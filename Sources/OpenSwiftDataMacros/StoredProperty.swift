import SwiftSyntax

/// A persisted stored property, parsed from its declaration.
struct StoredProperty {
  let variable: VariableDeclSyntax
  let binding: PatternBindingSyntax
  /// The name in source code, with backticks if necessary.
  let code: String
  /// The name in the schema.
  let name: String
  /// Whether the property is isolated, so that generated code uses its nonisolated counterpart.
  let isIsolated: Bool

  var type: TypeSyntax? { binding.typeAnnotation?.type }
  var initializer: ExprSyntax? { binding.initializer?.value }
  var isLet: Bool { variable.isLet }
  /// The name of the slot.
  var slot: String { (isIsolated ? "_$slot_\(name)" : "_\(name)").identifier }
  /// The name of the variable that is true while observers run.
  var observingMark: String { "_$observing_\(name)".identifier }
  /// The last component of a nonisolated key path to the property.
  var path: String { hasTwin ? twin : code }
  /// Whether key paths to the property are isolated, so that it has a nonisolated counterpart. This includes key paths
  /// to a constant.
  var hasTwin: Bool { isIsolated && !(isLet && variable.isNonisolated) }
  var attribute: AttributeSyntax? { variable.attribute("Attribute") }
  var relationship: AttributeSyntax? { variable.attribute("Relationship") }

  var isTransformable: Bool { tokens(ofOption: "transformable").contains { $0.startsCall } }

  /// Whether the column may contain a file reference or ciphertext instead of the plain value.
  var isOutOfRow: Bool { hasOption("externalStorage") || hasOption("encrypt") }

  private func hasOption(_ name: String) -> Bool { !tokens(ofOption: name).isEmpty }

  private func tokens(ofOption name: String) -> [TokenSyntax] {
    attribute?.arguments?.tokens(viewMode: .sourceAccurate).filter { $0.tokenKind == .identifier(name) } ?? []
  }

  /// Returns nil for a declaration without a persisted stored property.
  init?(_ variable: VariableDeclSyntax, isIsolated: Bool = false) {
    guard variable.bindings.count == 1, let binding = variable.bindings.first else { return nil }
    guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else { return nil }
    guard !binding.isComputed, !variable.isTypeMember, !variable.isLazy, !variable.isOverride else { return nil }
    guard variable.attribute("Transient") == nil else { return nil }
    // A constant with an initial value is not stored: it has no accessors, and no initialiser can change it.
    guard !(variable.isLet && binding.initializer != nil) else { return nil }
    self.variable = variable
    self.binding = binding
    self.code = pattern.identifier.text
    self.name = pattern.identifier.text.trimmingBackticks
    self.isIsolated = isIsolated
  }

  /// The source of the default, converted to the property's type.
  var typedDefault: String? {
    if let initializer {
      guard let type else { return initializer.trimmedDescription }
      return "(\(initializer.trimmedDescription)) as \(type.storedSource)"
    }
    guard let type, type.isOptional, !isLet else { return nil }
    return "nil as \(type.storedSource)"
  }

  /// The source of the metadata: the annotation's arguments as a value of the schema.
  var metadataSource: String {
    if let relationship {
      let source = "PersistenceCore.Schema.Relationship(\(InverseKeyPaths.source(of: relationship.arguments)))"
      return relationship.deniesInverse ? source + "._$withoutInverse()" : source
    }
    if let attribute { return attributeSource(attribute) }
    return "nil"
  }

  /// The call of `_$outOfRow()` informs the schema that the generated code supports out-of-row values.
  private func attributeSource(_ attribute: AttributeSyntax) -> String {
    let source = "PersistenceCore.Schema.Attribute(\(attribute.argumentSource))"
    return isOutOfRow ? source + "._$outOfRow()" : source
  }
}

extension TokenSyntax {
  /// Whether a call follows the name. The option of Apple's betas with the same name had no arguments.
  fileprivate var startsCall: Bool { nextToken(viewMode: .sourceAccurate)?.tokenKind == .leftParen }
}

extension String {
  /// The name as an identifier in source: a raw identifier unless all of its characters are valid in any identifier.
  var identifier: String {
    allSatisfy { $0.isLetter || $0.isASCII && $0.isNumber || $0 == "_" || $0 == "$" } ? self : "`\(self)`"
  }

  /// The text between the quotes of a literal. Names contain neither backslashes nor line breaks.
  var quotable: String { replacing("\"", with: "\\\"") }

  var trimmingBackticks: String {
    count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
  }
}
