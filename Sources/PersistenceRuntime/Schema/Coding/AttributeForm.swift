/// The encoded and compared content of an attribute.
package struct AttributeForm: Codable, Hashable {
  package let name: String
  package let originalName: String
  package let options: [Schema.Attribute.Option]
  package let type: StoredTypeName
  package let isOptional: Bool
  package let defaultValue: CodedValue?
  package let hashModifier: String?
  /// The members of a composite attribute; nil for others.
  package let members: [AttributeForm]?

  package init(_ attribute: Schema.Attribute) {
    self.name = attribute.name
    self.originalName = attribute.originalName
    self.options = Set(attribute.options).sorted { $0.text < $1.text }
    self.type = attribute.decodedTypeName ?? StoredTypeName(attribute.wrappedType)
    self.isOptional = attribute.isOptional
    self.defaultValue = attribute.isDefaultVolatile ? nil : attribute.defaultValue.flatMap { CodedValue($0) }
    self.hashModifier = attribute.hashModifier
    self.members = (attribute as? Schema.CompositeAttribute).map { composite in
      composite.properties.map { AttributeForm($0) }.sorted { $0.name < $1.name }
    }
  }

  var valueType: any Any.Type {
    let known = type.knownType
    return isOptional ? KnownTypes.optional(known) : known
  }

  var liveDefaultValue: Any? {
    defaultValue?.live(as: type.knownType)
  }

  /// Creates the attribute.
  func attribute() -> Schema.Attribute {
    let attribute = members.map { compositeAttribute(of: $0) } ?? plainAttribute()
    attribute.decodedTypeName = type
    return attribute
  }

  private func plainAttribute() -> Schema.Attribute {
    Schema.Attribute(
      name: name,
      originalName: originalName,
      options: options,
      valueType: valueType,
      defaultValue: liveDefaultValue,
      hashModifier: hashModifier
    )
  }

  private func compositeAttribute(of members: [AttributeForm]) -> Schema.Attribute {
    let composite = Schema.CompositeAttribute(
      name: name,
      originalName: originalName,
      options: options,
      valueType: valueType,
      defaultValue: liveDefaultValue,
      hashModifier: hashModifier
    )
    composite.properties = members.map { $0.attribute() }
    return composite
  }

  var summary: String {
    let marks = options.map(\.debugDescription).joined(separator: ", ")
    let standard = defaultValue.map { "\($0)" } ?? "none"
    return "name: \(name), type: \(type.summary)\(isOptional ? "?" : ""), options: [\(marks)], default: \(standard)"
  }
}
