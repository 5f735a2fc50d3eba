extension Schema {
  /// What a model says about one of its properties, or about a rule over several of them.
  ///
  /// `@Model` generates these; a model written by hand lists them itself.
  public struct PropertyMetadata {
    package let name: String
    package let keypath: AnyKeyPath
    package let defaultValue: Any?
    package let metadata: (any SchemaProperty)?

    /// Describes a property.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - keypath: The key path of the property, from which its type is taken.
    ///   - defaultValue: The value that the property has when no other is given.
    ///   - metadata: What `@Attribute` or `@Relationship` says about the property, or an index or a uniqueness rule.
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
  }
  /// The properties of a superclass as its subclass lists them, with key paths of its own and without the rules, which
  /// hold where they are declared.
  public static func _$inherited(_ metadata: [PropertyMetadata], at keyPaths: [AnyKeyPath]) -> [PropertyMetadata] {
    let properties = metadata.filter { !$0.name.hasPrefix(ruleMetadataPrefix) }
    return zip(properties, keyPaths).map { property, keyPath in
      PropertyMetadata(
        name: property.name, keypath: keyPath, defaultValue: property.defaultValue, metadata: property.metadata)
    }
  }

  static let ruleMetadataPrefix = "SwiftData.Schema."
  /// The name of what a model says about its entity: an attribute whose original name is that of the entity.
  package static let entityMetadataName = "SwiftData.Schema.Entity"
}
