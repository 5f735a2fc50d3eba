extension Schema {
  /// A model's description of one of its properties, or of a rule. Apple's type.
  ///
  /// `@Model` generates it; a hand-written model lists it itself.
  public struct PropertyMetadata {
    package let name: String
    package let keypath: AnyKeyPath
    package let defaultValue: Any?
    package let metadata: (any SchemaProperty)?
    /// Whether generated code handles a property as a relationship although its type has the name of a value type.
    package private(set) var isRelatable = false

    /// Creates the description of a property.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - keypath: The key path of the property, which provides its type.
    ///   - defaultValue: The default of the property, if it has one.
    ///   - metadata: The argument of `@Attribute` or `@Relationship`, or the rule.
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

    /// Returns the description with ``isRelatable`` set: generated code handles the property as a relationship if its
    /// type is a model. For generated code.
    public func _$relatable() -> PropertyMetadata {
      var description = self
      description.isRelatable = true
      return description
    }
  }

  /// The properties of a superclass with the subclass's key paths. Omits rules: they apply where they are declared.
  public static func _$inherited(_ metadata: [PropertyMetadata], at keyPaths: [AnyKeyPath]) -> [PropertyMetadata] {
    let properties = metadata.filter { !$0.name.hasPrefix(ruleMetadataPrefix) }
    return zip(properties, keyPaths).map { property, keyPath in
      let inherited = PropertyMetadata(
        name: property.name, keypath: keyPath, defaultValue: property.defaultValue, metadata: property.metadata)
      return property.isRelatable ? inherited._$relatable() : inherited
    }
  }

  static let ruleMetadataPrefix = "SwiftData.Schema."
  /// The name of the entity's own metadata, an attribute whose original name is that of the entity.
  package static let entityMetadataName = "SwiftData.Schema.Entity"
}
