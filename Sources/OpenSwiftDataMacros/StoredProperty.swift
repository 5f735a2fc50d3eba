import SwiftSyntax

/// The declaration of a stored property that `@Model` persists.
struct StoredProperty {
  let variable: VariableDeclSyntax
  let binding: PatternBindingSyntax
  /// The name in source code, with backticks if necessary.
  let code: String
  /// The name in the schema.
  let name: String
  /// Whether the property belongs to an isolated model. Generated code then uses its nonisolated twin.
  let isIsolated: Bool

  var type: TypeSyntax? { binding.typeAnnotation?.type }
  var initializer: ExprSyntax? { binding.initializer?.value }
  var isLet: Bool { variable.isLet }
  var slot: String { (isIsolated ? "_$slot_\(name)" : "_\(name)").identifier }
  /// The name of the variable that is true while `willSet` or `didSet` of the property runs.
  var observingMark: String { "_$observing_\(name)".identifier }
  /// The name of the property in a nonisolated key path.
  var path: String { hasTwin ? twin : code }
  /// Whether the property has a nonisolated twin, because key paths to it are isolated. Constants are included.
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

  /// Returns nil if the declaration is not a stored property that `@Model` persists.
  init?(_ variable: VariableDeclSyntax, isIsolated: Bool = false) {
    guard variable.bindings.count == 1, let binding = variable.bindings.first else { return nil }
    guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else { return nil }
    guard !binding.isComputed, !variable.isTypeMember, !variable.isLazy, !variable.isOverride else { return nil }
    guard variable.attribute("Transient") == nil else { return nil }
    // A constant with an initial value is not persisted: no initialiser can set it to the value in a row.
    guard !(variable.isLet && binding.initializer != nil) else { return nil }
    self.variable = variable
    self.binding = binding
    self.code = pattern.identifier.text
    self.name = pattern.identifier.text.trimmingBackticks
    self.isIsolated = isIsolated
  }

  /// The source of the property's default with its type, as in `(0) as Int?`; nil without a default.
  var typedDefault: String? {
    if let initializer {
      guard let type else { return initializer.trimmedDescription }
      return "(\(initializer.trimmedDescription)) as \(type.storedSource)"
    }
    guard let type, type.isOptional, !isLet else { return nil }
    return "nil as \(type.storedSource)"
  }

  /// The source of the metadata: a `Schema.Attribute` or `Schema.Relationship` with the arguments of the annotation.
  var metadataSource: String {
    if let relationship {
      let source = "PersistenceCore.Schema.Relationship(\(InverseKeyPaths.source(of: relationship.arguments)))"
      return relationship.deniesInverse ? source + "._$withoutInverse()" : source
    }
    if let attribute { return attributeSource(attribute) }
    return "nil"
  }

  /// For a property with external storage or encryption, the source also calls `_$outOfRow()`. This call informs the
  /// schema that the generated code can store the value in a file or encrypted.
  private func attributeSource(_ attribute: AttributeSyntax) -> String {
    let source = "PersistenceCore.Schema.Attribute(\(attribute.argumentSource))"
    return isOutOfRow ? source + "._$outOfRow()" : source
  }
}

extension TokenSyntax {
  /// Whether `(` follows the name: `.transformable` without arguments, an option of Apple's betas, does not count.
  fileprivate var startsCall: Bool { nextToken(viewMode: .sourceAccurate)?.tokenKind == .leftParen }
}

extension String {
  /// The name as a Swift identifier: in backticks if it contains characters other than letters, digits, `_` and `$`.
  var identifier: String {
    allSatisfy { $0.isLetter || $0.isASCII && $0.isNumber || $0 == "_" || $0 == "$" } ? self : "`\(self)`"
  }

  /// The name with its quotes escaped, for a string literal. Names contain neither backslashes nor line breaks.
  var quotable: String { replacing("\"", with: "\\\"") }

  var trimmingBackticks: String {
    count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
  }
}
