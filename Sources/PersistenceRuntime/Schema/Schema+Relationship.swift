extension Schema {
  /// A property that refers to models. Apple's type.
  ///
  /// Unchecked, because Apple's type is a mutable Sendable class: create and change relationships only before the
  /// schema that owns them is shared.
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
    /// Whether the inverse is explicitly nil, so that no inverse is inferred.
    package private(set) var isOneWay = false
    /// Distinguishes this version of the property from another one with the same declaration.
    public var hashModifier: String?

    /// Creates a relationship's options, the same as `@Relationship`. The model provides name, type and destination.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - deleteRule: What happens to the related models when a model is deleted.
    ///   - minimumModelCount: The minimum number of related models.
    ///   - maximumModelCount: The maximum number of related models; nil and zero mean any number.
    ///   - originalName: The former name of the property, if it was renamed.
    ///   - inverse: The key path of the inverse relationship. Without it the inverse is inferred.
    ///   - hashModifier: Distinguishes this version of the property from another one with the same declaration.
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

    /// Creates the options as spelled in the first beta. Not deprecated, because generated code repeats the author's
    /// spelling; the macro with this spelling is deprecated.
    ///
    /// - Parameters:
    ///   - deleteRule: What happens to the related models when a model is deleted.
    ///   - minimumModelCount: The minimum number of related models.
    ///   - maximumModelCount: The maximum number of related models; nil and zero mean any number.
    ///   - originalName: The former name of the property, if it was renamed.
    ///   - inverse: The key path of the inverse relationship. Without it the inverse is inferred.
    ///   - hashModifier: Distinguishes this version of the property from another one with the same declaration.
    public convenience init(
      _ deleteRule: DeleteRule, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
      inverse: AnyKeyPath? = nil, hashModifier: String? = nil
    ) {
      self.init(
        deleteRule: deleteRule, minimumModelCount: minimumModelCount, maximumModelCount: maximumModelCount,
        originalName: originalName, inverse: inverse, hashModifier: hashModifier)
    }

    /// Decodes a relationship, which has no key paths. ``UnknownValue`` replaces its model type.
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

    /// Encodes the relationship, with the name of its inverse.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws {
      try RelationshipForm(self).encode(to: encoder)
    }

    /// Marks the relationship as one without an inverse. The macro calls it if `inverse` is nil.
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
    /// A to-many relationship has no stable order, the same as Apple's. Without this option it keeps its order, which
    /// takes one UPDATE for every model that is moved. Ours.
    public static var unordered: Option { Option(name: "unordered") }

    /// The option in source notation.
    public var debugDescription: String { ".\(name)" }

    init(name: String) {
      self.name = name
    }

    /// Decodes an option. An option from a newer version of the library is preserved.
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
