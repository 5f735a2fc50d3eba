import SwiftSyntax

extension StoredProperty {
  /// Whether the property's type may be a model or a collection of models, as far as the source shows.
  ///
  /// `@Attribute` does not matter: the schema makes a relationship of every property whose type is a model.
  var mayBeRelationship: Bool {
    guard !isLet, !isTransformable, !isOutOfRow else { return false }
    // With `@Relationship` the type's name is irrelevant, because a model may have the name of a value type.
    guard relationship == nil else { return true }
    guard let type else { return initializer.map { !$0.isLiteral } ?? false }
    return !Self.valueTypes.contains(type.innermostName)
  }

  /// Whether the source shows that the property is a plain value in a separate column.
  var isValue: Bool { !mayBeRelationship && !isOutOfRow && !isTransformable }

  /// Whether the type has the name of a value type, but is not treated as a value, because it is written with its
  /// enclosing type. The schema rejects models with these names unless their metadata is marked as relatable.
  var isRelatableValueName: Bool {
    guard mayBeRelationship, relationship == nil, let member = type?.innermostType.as(MemberTypeSyntax.self) else {
      return false
    }
    return Self.valueTypes.contains(member.name.text)
  }

  /// Type names that are treated as values, because a macro cannot determine whether a model of the program has the
  /// name. The schema can, and rejects such a property without `@Relationship`. `EntityReader.valueNames` is equal.
  static let valueTypes: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float", "Bool",
    "String", "Date", "UUID", "URL", "Data", "Decimal",
  ]

  /// Whether a change in place may avoid a copy of the value.
  ///
  /// Numbers, dates and identifiers need no copy: reading and assigning them has the same effect. A `_modify` accessor
  /// for them takes a quarter of the compile time of a model with such properties.
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
  /// The name of the type without `Optional` and array.
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
  /// The type that a variable gets from a literal; nil for collections, whose elements may have any type.
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
  /// Whether the arguments contain `inverse: nil`. At run time this is indistinguishable from an omitted argument.
  var deniesInverse: Bool {
    guard case .argumentList(let arguments) = arguments else { return false }
    return arguments.contains { $0.label?.text == "inverse" && $0.expression.is(NilLiteralExprSyntax.self) }
  }
}
