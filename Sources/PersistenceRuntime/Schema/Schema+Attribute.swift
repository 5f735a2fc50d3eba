extension Schema {
  /// A property that holds a value.
  ///
  /// Unchecked, because Apple's is a mutable class that is Sendable: attributes are made, and changed, only before
  /// the schema that owns them is shared.
  public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// The name of the property.
    public var name: String
    /// The name that the property had before; its name, unless it was renamed.
    public var originalName: String
    /// How the value is to be stored.
    public var options: [Option]
    /// The declared type, with its `Optional` if it has one.
    public var valueType: any Any.Type {
      didSet { decodedTypeName = nil }
    }
    /// The value that the property has when no other is given.
    public var defaultValue: Any?
    /// Whether the property may be nil.
    public var isOptional: Bool
    /// A text that makes this version of the property differ from another that is declared alike.
    public var hashModifier: String?

    /// The key path of the property, when it was read from a model.
    package var keypath: AnyKeyPath?
    /// Whether the default is another one each time it is asked for, as `Date()` and `UUID()` are.
    package var isDefaultVolatile = false

    /// Whether the model's rows are read and written through envelopes for this property.
    package private(set) var isEnveloped = false

    /// The name of the type in the schema that this attribute was decoded from.
    var decodedTypeName: StoredTypeName?

    /// Says how a property is to be stored. Its name and its type come from the model.
    public init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      self.name = ""
      self.originalName = originalName ?? ""
      self.options = options
      self.valueType = UnknownValue.self
      self.isOptional = false
      self.hashModifier = hashModifier
    }

    /// As the first beta spelled it. Not marked as deprecated, because generated code repeats what the model says, where the
    /// macro's own mark has told its author already.
    public convenience init(_ options: [Option], originalName: String? = nil, hashModifier: String? = nil) {
      self.init(originalName: originalName, hashModifier: hashModifier)
      self.options = options
    }

    /// Describes a property completely.
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

    /// Marks an attribute whose options generated code has seen. Written by `@Model`.
    @discardableResult
    public func _$enveloped() -> Schema.Attribute {
      isEnveloped = true
      return self
    }

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
  /// Whether the property is tracked but never written to the store.
  public var isTransient: Bool { options.contains(.ephemeral) }
  /// Whether no two models may share a value of the property.
  public var isUnique: Bool { options.contains(.unique) }
  /// Whether a value transformer turns the value into what is stored.
  public var isTransformable: Bool { options.contains { $0.isTransformable } }

  /// The declared type without its `Optional`.
  package var wrappedType: any Any.Type { PropertyType(valueType).wrapped }
}
