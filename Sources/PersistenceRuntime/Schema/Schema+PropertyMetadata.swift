extension Schema {
  /// A model's description of one of its properties, or of a rule such as an index. Apple's type.
  ///
  /// `@Model` generates the descriptions in `schemaMetadata`; the author of a hand-written model writes them.
  public struct PropertyMetadata {
    package let name: String
    package let keypath: AnyKeyPath
    package let defaultValue: Any?
    package let metadata: (any SchemaProperty)?
    /// Whether generated code handles the property as a relationship if its type is a model with a name such as `Date`.
    package private(set) var isRelatable = false

    /// Creates the description of a property.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - keypath: The key path of the property, which provides its type.
    ///   - defaultValue: The default of the property, if it has one.
    ///   - metadata: The argument of `@Attribute` or `@Relationship`, or the rule, such as an index.
    public init(
      name: String,
      keypath: AnyKeyPath,
      defaultValue: Any? = nil,
      metadata: (any SchemaProperty)? = nil
    ) {
      self.name = name
      self.keypath = keypath
      self.defaultValue = defaultValue
      self.metadata = metadata
    }

    /// Returns a copy with ``isRelatable`` set. Called by generated code that handles the property as a relationship if
    /// the property's type is a model.
    public func _$relatable() -> PropertyMetadata {
      var description = self
      description.isRelatable = true
      return description
    }
  }

  /// Returns a superclass's properties with the subclass's key paths. Omits indexes and uniqueness
  /// rules, because the superclass's entity has them.
  public static func _$inherited(_ metadata: [PropertyMetadata], at keyPaths: [AnyKeyPath]) -> [PropertyMetadata] {
    let properties = metadata.filter { !$0.name.hasPrefix(ruleMetadataPrefix) }
    return zip(properties, keyPaths).map { property, keyPath in
      let inherited = PropertyMetadata(
        name: property.name, keypath: keyPath, defaultValue: property.defaultValue, metadata: property.metadata)
      return property.isRelatable ? inherited._$relatable() : inherited
    }
  }

  static let ruleMetadataPrefix = "SwiftData.Schema."
  /// The name of the metadata that describes the entity itself: an attribute with the entity's former name.
  package static let entityMetadataName = "SwiftData.Schema.Entity"
}
