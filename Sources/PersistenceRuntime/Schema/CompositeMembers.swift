extension CompositeLayout {
  /// The members as attributes of the schema.
  package var attributes: [Schema.Attribute] { fields.map(\.attribute) }

  /// The members at any depth, with their dotted names and their key paths from the model.
  package func memberKeyPaths(from keyPath: AnyKeyPath) -> [(name: String, keyPath: AnyKeyPath)] {
    parts.compactMap { part in
      part.keyPath.flatMap { keyPath.appending(path: $0) }.map { (part.name, $0) }
    }
  }
}

extension StructLayout.Field {
  fileprivate var attribute: Schema.Attribute {
    guard let inner else { return Schema.Attribute(name: name, valueType: type) }
    let composite = Schema.CompositeAttribute(name: name, valueType: type)
    composite.properties = inner.fields.map(\.attribute)
    return composite
  }
}

extension Schema.PropertyMetadata {
  /// The layout of the property; nil if it is not a composite.
  package var compositeLayout: CompositeLayout? {
    guard metadata == nil || metadata is Schema.Attribute else { return nil }
    let declared = type(of: keypath).valueType
    guard PropertyType(declared).destination == nil else { return nil }
    return CompositeLayout(name: name, type: declared, attribute: metadata as? Schema.Attribute)
  }
}
