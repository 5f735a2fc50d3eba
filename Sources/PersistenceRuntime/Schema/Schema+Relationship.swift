extension Schema {
  /// A property that refers to models. Apple's type.
  ///
  /// The compiler cannot check `Sendable`, because Apple's type is a mutable class. Create and change relationships
  /// only before other threads use the schema that contains them.
  final public class Relationship: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// The name of the property.
    public var name: String
    /// The former name of the property; equal to ``name`` unless it was renamed.
    public var originalName: String
    /// The key path of the property, if it was read from a model.
    public var keypath: AnyKeyPath?
    /// The options of the relationship.
    public var options: [Option]
    /// The declared type, including `Optional`.
    public var valueType: any Any.Type
    /// The name of the destination entity.
    public var destination: String
    /// What happens to the related models when a model is deleted.
    public var deleteRule: DeleteRule
    /// The name of the inverse relationship.
    public var inverseName: String?
    /// The key path of the inverse relationship.
    public var inverseKeyPath: AnyKeyPath?
    /// The minimum number of related models.
    public var minimumModelCount: Int?
    /// The maximum number of related models; nil and zero mean any number.
    public var maximumModelCount: Int?
    /// Whether the model declares `inverse: nil`. The library then does not infer an inverse.
    package private(set) var isOneWay = false
    /// Makes this version of the property differ from another version with the same declaration.
    public var hashModifier: String?

    /// Creates a relationship from the arguments of `@Relationship`. Its name and types come from the model's property.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - deleteRule: What happens to the related models when a model is deleted.
    ///   - minimumModelCount: The minimum number of related models.
    ///   - maximumModelCount: The maximum number of related models; nil and zero mean any number.
    ///   - originalName: The former name of the property, if it was renamed.
    ///   - inverse: The key path of the inverse relationship. If it is nil, the library infers the inverse.
    ///   - hashModifier: Makes this version of the property differ from another version with the same declaration.
    public init(
      _ options: Option...,
      deleteRule: DeleteRule = .nullify,
      minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0,
      originalName: String? = nil,
      inverse: AnyKeyPath? = nil,
      hashModifier: String? = nil
    ) {
      self.name = ""
      self.originalName = originalName ?? ""
      self.options = options
      self.valueType = UnknownValue.self
      self.destination = ""
      self.deleteRule = deleteRule
      self.inverseKeyPath = inverse
      self.minimumModelCount = minimumModelCount
      self.maximumModelCount = maximumModelCount
      self.hashModifier = hashModifier
    }

    /// Creates a relationship from the arguments of `@Relationship` in the first beta. Not deprecated, because
    /// generated code repeats the arguments that the author wrote; the macro with these arguments is deprecated.
    ///
    /// - Parameters:
    ///   - deleteRule: What happens to the related models when a model is deleted.
    ///   - minimumModelCount: The minimum number of related models.
    ///   - maximumModelCount: The maximum number of related models; nil and zero mean any number.
    ///   - originalName: The former name of the property, if it was renamed.
    ///   - inverse: The key path of the inverse relationship. If it is nil, the library infers the inverse.
    ///   - hashModifier: Makes this version of the property differ from another version with the same declaration.
    public convenience init(
      _ deleteRule: DeleteRule, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
      inverse: AnyKeyPath? = nil, hashModifier: String? = nil
    ) {
      self.init(
        deleteRule: deleteRule, minimumModelCount: minimumModelCount, maximumModelCount: maximumModelCount,
        originalName: originalName, inverse: inverse, hashModifier: hashModifier)
    }

    /// Decodes a relationship. It has no key paths, and its type contains ``UnknownValue`` instead of the model type.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The error of the decoder.
    public init(from decoder: any Decoder) throws {
      let form = try RelationshipForm(from: decoder)
      self.name = form.name
      self.originalName = form.originalName
      self.options = form.options
      self.valueType = form.valueType
      self.destination = form.destination
      self.deleteRule = form.deleteRule
      self.inverseName = form.inverseName
      self.minimumModelCount = form.minimumModelCount
      self.maximumModelCount = form.maximumModelCount
      self.hashModifier = form.hashModifier
    }

    /// Encodes the relationship. The encoding contains the name of the inverse, not its key path.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws {
      try RelationshipForm(self).encode(to: encoder)
    }

    /// Marks the relationship as one without an inverse. The macro's code for `inverse: nil` calls this function.
    public func _$withoutInverse() -> Relationship {
      isOneWay = true
      return self
    }

    public static func == (lhs: Relationship, rhs: Relationship) -> Bool {
      RelationshipForm(lhs) == RelationshipForm(rhs)
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
    }

    public var debugDescription: String {
      "Schema.Relationship - \(RelationshipForm(self).summary)"
    }
  }
}

extension Schema.Relationship {
  /// What happens to related models when a model is deleted. Apple's type.
  public enum DeleteRule: String, Codable, Sendable {
    /// Nothing happens: references to the deleted model may remain.
    case noAction
    /// The references of the related models to the deleted model become nil.
    case nullify
    /// The related models are deleted, too.
    case cascade
    /// The deletion fails while there are related models.
    case deny
  }

  /// An option of a relationship. Apple's type.
  public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
    let name: String

    /// No two models of the entity refer to the same model.
    public static var unique: Option { Option(name: "unique") }
    /// The to-many relationship does not keep its order, the same as Apple's relationships. Without this option the
    /// store keeps the order, which takes one UPDATE for each model that is moved. Ours.
    public static var unordered: Option { Option(name: "unordered") }

    /// The option in source notation.
    public var debugDescription: String { ".\(name)" }

    init(name: String) {
      self.name = name
    }

    /// Decodes an option. Also preserves options that this version of the library does not know.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The error of the decoder, if the encoded option is not a text.
    public init(from decoder: any Decoder) throws {
      self.name = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes the option as a text.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(name)
    }
  }

  /// Whether the relationship refers to at most one model.
  public var isToOneRelationship: Bool { !PropertyType(valueType).isToMany }
  /// Always true.
  public var isRelationship: Bool { true }
  /// Always false.
  public var isAttribute: Bool { false }
  /// Always false.
  public var isTransient: Bool { false }
  /// Whether the property is optional.
  public var isOptional: Bool { PropertyType(valueType).isOptional }
  /// Whether no two models may refer to the same model.
  public var isUnique: Bool { options.contains(.unique) }
}
