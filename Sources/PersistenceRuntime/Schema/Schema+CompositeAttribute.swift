extension Schema {
  /// An attribute whose value has several columns, such as a `Codable` struct with several fields. Apple's type.
  ///
  /// The compiler cannot check `Sendable`, because Apple's type is a mutable class.
  final public class CompositeAttribute: Attribute, @unchecked Sendable {
    /// The members of the value, such as the fields of a struct.
    public var properties: [Attribute]

    /// Creates an attribute without members. Set ``properties`` afterwards.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - originalName: The former name of the property, if it was renamed.
    ///   - options: The storage options.
    ///   - valueType: The declared type, including `Optional`.
    ///   - defaultValue: The default of the property, if it has one.
    ///   - hashModifier: Makes this version of the property differ from another version with the same declaration.
    public override init(
      name: String,
      originalName: String? = nil,
      options: [Option] = [],
      valueType: any Any.Type,
      defaultValue: Any? = nil,
      hashModifier: String? = nil
    ) {
      self.properties = []
      super.init(
        name: name,
        originalName: originalName,
        options: options,
        valueType: valueType,
        defaultValue: defaultValue,
        hashModifier: hashModifier
      )
    }

    /// Decodes an attribute with its members.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The error of the decoder; `DecodingError` for a default value in an unknown encoding.
    public required init(from decoder: any Decoder) throws {
      let form = try AttributeForm(from: decoder)
      self.properties = (form.members ?? []).map { $0.attribute() }
      try super.init(from: decoder)
    }

    /// Encodes the attribute with its members.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public override func encode(to encoder: any Encoder) throws {
      try AttributeForm(self).encode(to: encoder)
    }

    /// Whether two composite attributes have equal descriptions.
    public static func == (lhs: CompositeAttribute, rhs: CompositeAttribute) -> Bool {
      AttributeForm(lhs) == AttributeForm(rhs)
    }

    public override var debugDescription: String {
      "Schema.CompositeAttribute - \(AttributeForm(self).summary), properties: \(properties)"
    }
  }
}

extension CompositeLayout {
  /// The members as attributes of the schema.
  package var attributes: [Schema.Attribute] { fields.map(\.attribute) }

  /// The members at every depth, with names such as `address.street` and key paths that start at the model.
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
