import PersistenceSupport

extension Schema {
  /// A property with a value. Apple's type.
  ///
  /// Unchecked, because Apple's type is a mutable Sendable class: create and change attributes only before the schema
  /// that owns them is shared.
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
    /// Distinguishes this version of the property from another one with the same declaration.
    public var hashModifier: String?

    /// The key path of the property, if it was read from a model.
    package var keypath: AnyKeyPath?
    /// Whether every evaluation of the default yields another value, such as `Date()` and `UUID()`.
    package var isDefaultVolatile = false

    /// Whether generated code reads and writes the property as an out-of-row value.
    package private(set) var isOutOfRow = false

    /// The encoded name of the type, if the attribute was decoded.
    var decodedTypeName: StoredTypeName?

    /// Creates the options of a property, the same as `@Attribute`. The model provides name and type.
    ///
    /// - Parameters:
    ///   - options: The storage options.
    ///   - originalName: The former name of the property, if it was renamed.
    ///   - hashModifier: Distinguishes this version of the property from another one with the same declaration.
    public init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      self.name = ""
      self.originalName = originalName ?? ""
      self.options = options
      self.valueType = UnknownValue.self
      self.isOptional = false
      self.hashModifier = hashModifier
    }

    /// Creates the options as spelled in the first beta. Not deprecated, because generated code repeats the author's
    /// spelling; the macro with this spelling is deprecated.
    ///
    /// - Parameters:
    ///   - options: The storage options.
    ///   - originalName: The former name of the property, if it was renamed.
    ///   - hashModifier: Distinguishes this version of the property from another one with the same declaration.
    public convenience init(_ options: [Option], originalName: String? = nil, hashModifier: String? = nil) {
      self.init(originalName: originalName, hashModifier: hashModifier)
      self.options = options
    }

    /// Creates the complete description of a property.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - originalName: Its former name, if it was renamed.
    ///   - options: The storage options.
    ///   - valueType: The declared type, including `Optional`.
    ///   - defaultValue: The default of the property, if it has one.
    ///   - hashModifier: Distinguishes this version of the property from another one with the same declaration.
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
    /// - Throws: The error of the decoder; `DecodingError` for a default of an unknown kind.
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

    /// Records that the generated code supports an out-of-row value. Called by generated code.
    @discardableResult
    public func _$outOfRow() -> Schema.Attribute {
      isOutOfRow = true
      return self
    }

    /// Encodes the attribute. Includes the default if it is a simple value and the same for each evaluation.
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
  /// Whether the property is tracked but never stored.
  public var isTransient: Bool { options.contains(.ephemeral) }
  /// Whether no two models may have the same value.
  public var isUnique: Bool { options.contains(.unique) }
  /// Whether a value transformer stores the value.
  public var isTransformable: Bool { options.contains { $0.isTransformable } }

  /// The declared type without `Optional`.
  package var wrappedType: any Any.Type { PropertyType(valueType).wrapped }
}
