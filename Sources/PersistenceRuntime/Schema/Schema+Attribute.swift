import PersistenceSupport

extension Schema {
  /// A property that contains a value and does not refer to models. Apple's type.
  ///
  /// The compiler cannot check `Sendable`, because Apple's type is a mutable class. Create and change attributes only
  /// before other threads use the schema that contains them.
  public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// The name of the property.
    public var name: String
    /// The former name of the property; equal to ``name`` unless it was renamed.
    public var originalName: String
    /// The storage options.
    public var options: [Option]
    /// The declared type, including `Optional`.
    public var valueType: any Any.Type {
      didSet { decodedTypeName = nil }
    }
    /// The default of the property; nil if it has none.
    public var defaultValue: Any?
    /// Whether the property is optional.
    public var isOptional: Bool
    /// Makes this version of the property differ from another version with the same declaration.
    public var hashModifier: String?

    /// The key path of the property, if it was read from a model.
    package var keypath: AnyKeyPath?
    /// Whether each evaluation of the default expression returns another value, such as `Date()` or `UUID()`.
    package var isDefaultVolatile = false

    /// Whether generated code can store the value encrypted or in a file, instead of as a plain value in the row.
    package private(set) var isOutOfRow = false

    /// The name of the type in the encoded schema from which the attribute was decoded; nil for other attributes.
    var decodedTypeName: StoredTypeName?

    /// Creates an attribute from the arguments of `@Attribute`. Its name and type come from the model's property.
    ///
    /// - Parameters:
    ///   - options: The storage options.
    ///   - originalName: The former name of the property, if it was renamed.
    ///   - hashModifier: Makes this version of the property differ from another version with the same declaration.
    public init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      self.name = ""
      self.originalName = originalName ?? ""
      self.options = options
      self.valueType = UnknownValue.self
      self.isOptional = false
      self.hashModifier = hashModifier
    }

    /// Creates an attribute from the arguments of `@Attribute` in the first beta. Not deprecated, because generated
    /// code repeats the arguments that the author wrote; the macro with these arguments is deprecated.
    ///
    /// - Parameters:
    ///   - options: The storage options.
    ///   - originalName: The former name of the property, if it was renamed.
    ///   - hashModifier: Makes this version of the property differ from another version with the same declaration.
    public convenience init(_ options: [Option], originalName: String? = nil, hashModifier: String? = nil) {
      self.init(originalName: originalName, hashModifier: hashModifier)
      self.options = options
    }

    /// Creates the complete description of a property.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - originalName: The former name of the property, if it was renamed.
    ///   - options: The storage options.
    ///   - valueType: The declared type, including `Optional`.
    ///   - defaultValue: The default of the property, if it has one.
    ///   - hashModifier: Makes this version of the property differ from another version with the same declaration.
    public init(
      name: String,
      originalName: String? = nil,
      options: [Option] = [],
      valueType: any Any.Type,
      defaultValue: Any? = nil,
      hashModifier: String? = nil
    ) {
      self.name = name
      self.originalName = originalName ?? name
      self.options = options
      self.valueType = valueType
      self.defaultValue = DefaultValue.unwrapped(defaultValue)
      self.isOptional = PropertyType(valueType).isOptional
      self.hashModifier = hashModifier
    }

    /// Decodes an attribute. A type that this program does not know becomes ``UnknownValue``.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The error of the decoder; `DecodingError` for a default value in an unknown encoding.
    public required init(from decoder: any Decoder) throws {
      let form = try AttributeForm(from: decoder)
      self.name = form.name
      self.originalName = form.originalName
      self.options = form.options
      self.valueType = form.valueType
      self.defaultValue = form.liveDefaultValue
      self.isOptional = form.isOptional
      self.hashModifier = form.hashModifier
      self.decodedTypeName = form.type
    }

    /// Called by generated code that can store the value encrypted or in a file. Returns the attribute.
    @discardableResult
    public func _$outOfRow() -> Schema.Attribute {
      isOutOfRow = true
      return self
    }

    /// Encodes the attribute. Omits a default that is not a simple value, or that differs at each evaluation.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws {
      try AttributeForm(self).encode(to: encoder)
    }

    public static func == (lhs: Attribute, rhs: Attribute) -> Bool {
      AttributeForm(lhs) == AttributeForm(rhs)
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
    }

    public var debugDescription: String {
      "Schema.Attribute - \(AttributeForm(self).summary)"
    }
  }
}

extension Schema.Attribute {
  /// Always true.
  public var isAttribute: Bool { true }
  /// Always false.
  public var isRelationship: Bool { false }
  /// Whether changes of the property are tracked, but its value is never stored.
  public var isTransient: Bool { options.contains(.ephemeral) }
  /// Whether no two models may have the same value.
  public var isUnique: Bool { options.contains(.unique) }
  /// Whether a value transformer converts the value to data, which the store contains.
  public var isTransformable: Bool { options.contains { $0.isTransformable } }

  /// The declared type, without `Optional`.
  package var wrappedType: any Any.Type { PropertyType(valueType).wrapped }
}
