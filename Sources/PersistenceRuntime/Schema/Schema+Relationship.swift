extension Schema {
  /// A property that refers to one model or to several.
  ///
  /// Unchecked, because Apple's is a mutable class that is Sendable: relationships are made, and changed, only before
  /// the schema that owns them is shared.
  final public class Relationship: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// The name of the property.
    public var name: String
    /// The name that the property had before; its name, unless it was renamed.
    public var originalName: String
    /// The key path of the property, when it was read from a model.
    public var keypath: AnyKeyPath?
    /// How the relationship is to be treated.
    public var options: [Option]
    /// The declared type, with its `Optional` if it has one.
    public var valueType: any Any.Type
    /// The name of the entity that the relationship leads to.
    public var destination: String
    /// What happens to the related models when a model is deleted.
    public var deleteRule: DeleteRule
    /// The name of the relationship that leads back.
    public var inverseName: String?
    /// The key path of the relationship that leads back.
    public var inverseKeyPath: AnyKeyPath?
    /// How many models there are at least.
    public var minimumModelCount: Int?
    /// How many models there are at most; nil and zero mean any number.
    public var maximumModelCount: Int?
    /// Whether no inverse is to be looked for.
    package private(set) var isOneWay = false
    /// A text that makes this version of the property differ from another that is declared alike.
    public var hashModifier: String?

    /// Says how a property is to be treated. Its name, its type and its destination come from the model.
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

    /// As the first beta spelled it. Not marked as deprecated, because generated code repeats what the model says, where
    /// the macro's own mark has told its author already.
    public convenience init(
      _ deleteRule: DeleteRule, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
      inverse: AnyKeyPath? = nil, hashModifier: String? = nil
    ) {
      self.init(
        deleteRule: deleteRule, minimumModelCount: minimumModelCount, maximumModelCount: maximumModelCount,
        originalName: originalName, inverse: inverse, hashModifier: hashModifier)
    }

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

    public func encode(to encoder: any Encoder) throws {
      try RelationshipForm(self).encode(to: encoder)
    }

    /// The relationship as one that nothing leads back from, which the macro says where `inverse` is nil.
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
  /// What happens to related models when a model is deleted.
  public enum DeleteRule: String, Codable, Sendable {
    /// Nothing; the references are left to the caller.
    case noAction
    /// They lose their reference to the deleted model.
    case nullify
    /// They are deleted too.
    case cascade
    /// The model cannot be deleted while there are any.
    case deny
  }

  /// A way in which a relationship is treated.
  public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
    let name: String

    /// No two models of the entity refer to the same model.
    public static var unique: Option { Option(name: "unique") }
    /// The models of a to-many relationship come in no particular order, as Apple's do. Without it they keep the order in
    /// which they were left, which costs a statement for every model that is moved. Ours, not Apple's.
    public static var unordered: Option { Option(name: "unordered") }

    /// The option as it is written in a model.
    public var debugDescription: String { ".\(name)" }

    init(name: String) {
      self.name = name
    }

    public init(from decoder: any Decoder) throws {
      self.name = try decoder.singleValueContainer().decode(String.self)
    }

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
  /// Whether the property may be nil.
  public var isOptional: Bool { PropertyType(valueType).isOptional }
  /// Whether no two models may refer to the same model.
  public var isUnique: Bool { options.contains(.unique) }
}
