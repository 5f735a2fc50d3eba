import SwiftSyntax

extension StoredProperty {
  /// Whether the struct that `@ModelValue` generates contains the property. Private properties are left out. Properties
  /// with a value transformer are left out because they may have any type.
  var isPartOfValue: Bool {
    switch variable.modifiers.accessKeyword {
    case .private, .fileprivate: false
    default: !isTransformable
    }
  }

  /// The source code of the property's type in the generated struct. The struct has identifiers instead of models:
  /// `Trip` becomes `Trip._$Reference`, which the compiler resolves to `PersistentIdentifier` if `Trip` is a model.
  var valueType: String {
    guard let type else { return writtenType ?? "Swift.Never" }
    return type.valueSource
  }

  var valueAccess: String {
    switch variable.modifiers.accessKeyword {
    case .public, .open: "public "
    case .package: "package "
    default: ""
    }
  }
}

extension TypeSyntax {
  fileprivate var valueSource: String {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.valueSource + "?" }
    if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return optional.wrappedType.valueSource + "?"
    }
    if let array = self.as(ArrayTypeSyntax.self) { return "[\(array.element.valueSource)]" }
    if let identifier = self.as(IdentifierTypeSyntax.self) { return identifier.valueSource }
    if let member = self.as(MemberTypeSyntax.self), member.genericArgumentClause == nil {
      return "\(trimmedDescription)._$Reference"
    }
    return storedSource
  }
}

extension IdentifierTypeSyntax {
  fileprivate var valueSource: String {
    guard let generic = genericArgumentClause else {
      return StoredProperty.valueTypes.contains(name.text) ? trimmedDescription : "\(trimmedDescription)._$Reference"
    }
    guard ["Optional", "Array"].contains(name.text), let argument = generic.arguments.first?.argument,
      case .type(let type) = argument
    else { return trimmedDescription }
    return "\(name.text)<\(type.valueSource)>"
  }
}
