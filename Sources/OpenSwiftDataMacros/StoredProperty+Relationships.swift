import SwiftSyntax

extension StoredProperty {
  /// Whether the property's type may be a model or a collection of models, as far as the source shows.
  ///
  /// Even a property with `@Attribute` becomes a relationship if its type is a model.
  var mayBeRelationship: Bool {
    guard !isLet, !isTransformable, !isOutOfRow else { return false }
    // With `@Relationship` the property is a relationship even if its model has the name of a value type, like `Data`.
    guard relationship == nil else { return true }
    guard let type else { return initializer.map { !$0.isLiteral } ?? false }
    return !Self.valueTypes.contains(type.innermostName)
  }

  /// Whether the source shows that the property is neither a relationship nor transformed, encrypted or in a file.
  var isValue: Bool { !mayBeRelationship && !isOutOfRow && !isTransformable }

  /// Whether the type has the name of a value type, but is written with its enclosing type, as in `Library.Data`. The
  /// generated code then handles it as a possible model. The metadata of the property is marked as relatable; without
  /// this mark, the schema would reject a model with such a name.
  var isRelatableValueName: Bool {
    guard mayBeRelationship, relationship == nil, let member = type?.innermostType.as(MemberTypeSyntax.self) else {
      return false
    }
    return Self.valueTypes.contains(member.name.text)
  }

  /// Names of types that the macro treats as values. A macro cannot see whether the program has a model with such a
  /// name. The schema can see it, and then rejects a property of this type without `@Relationship`.
  /// `EntityReader.valueNames` must contain the same names.
  static let valueTypes: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float", "Bool",
    "String", "Date", "UUID", "URL", "Data", "Decimal",
  ]

  /// Whether the property gets a `_modify` accessor, with which a change in place does not copy the value.
  ///
  /// Numbers, dates and UUIDs get none, because copying them is as fast. Their `_modify` accessors would take a quarter
  /// of the compile time of a model with such properties.
  var growsInPlace: Bool {
    guard attribute == nil, !isTransformable else { return true }
    guard let type else { return initializer?.literalType.map { $0 == "Swift.String" } ?? true }
    if let optional = type.as(OptionalTypeSyntax.self) {
      return !Self.scalarTypes.contains(optional.wrappedType.trimmedDescription)
    }
    return !Self.scalarTypes.contains(type.trimmedDescription)
  }

  private static let scalarTypes = valueTypes.subtracting(["String", "URL", "Data"])
}

extension TypeSyntax {
  var innermostName: String { innermostType.trimmedDescription }

  /// The type without `Optional` and array.
  var innermostType: TypeSyntax {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.innermostType }
    if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return optional.wrappedType.innermostType }
    if let array = self.as(ArrayTypeSyntax.self) { return array.element.innermostType }
    return self
  }
}

extension ExprSyntax {
  /// The type of a variable that is initialised with this literal; nil for any other expression, and for literals of
  /// collections, whose elements may have any type.
  var literalType: String? {
    switch kind {
    case .integerLiteralExpr: "Swift.Int"
    case .floatLiteralExpr: "Swift.Double"
    case .stringLiteralExpr: "Swift.String"
    case .booleanLiteralExpr: "Swift.Bool"
    case .prefixOperatorExpr: self.as(PrefixOperatorExprSyntax.self)?.expression.literalType
    default: nil
    }
  }

  /// Whether the expression is a literal that cannot contain models.
  var isLiteral: Bool { literalType != nil || self.is(DictionaryExprSyntax.self) }
}

extension AttributeSyntax {
  /// Whether the arguments contain `inverse: nil`. The macro adds this to the metadata, because nil and an omitted
  /// argument are the same at run time.
  var deniesInverse: Bool {
    guard case .argumentList(let arguments) = arguments else { return false }
    return arguments.contains { $0.label?.text == "inverse" && $0.expression.is(NilLiteralExprSyntax.self) }
  }
}
