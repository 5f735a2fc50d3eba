extension Schema {
  /// The description of a model type: its properties, inheritance, indexes and uniqueness constraints. Apple's type.
  ///
  /// The compiler cannot check `Sendable`, because Apple's type is a mutable class. The library changes an entity only
  /// while it builds the schema. Do not change an entity while a container uses the schema.
  final public class Entity: Codable, Hashable, CustomDebugStringConvertible, @unchecked Sendable {
    /// The name, which is the unqualified name of the model type.
    public var name: String
    /// The name in older schema versions; equal to ``name`` unless the entity was renamed. Ours.
    public var originalName: String
    /// The entities that inherit from this one directly.
    public var subentities: Set<Entity>
    /// The name of the superentity.
    public var superentityName: String?
    /// The entity's own properties, in declaration order.
    public var storedProperties: [any SchemaProperty]
    /// The properties of the superentities.
    public var inheritedProperties: [any SchemaProperty]
    /// For each uniqueness constraint, the names of its properties. Excludes the constraints of superentities.
    public var uniquenessConstraints: [[String]]
    /// For each index, the names of its properties. Excludes the indexes of superentities.
    public var indices: [[String]]

    /// The elements of ``indices`` that are R-trees. Properties with a B-tree and an R-tree are in ``indices`` twice.
    package var rtreeIndices: [[String]] = []
    /// The model type; nil for an entity created by hand or decoded.
    package var modelType: (any PersistentModel.Type)?
    /// The `schemaMetadata` of the model type.
    package var metadata: [PropertyMetadata] = []
    /// The names of all properties by key path, including inherited ones.
    package var namesByKeyPath: [AnyKeyPath: String] = [:]

    // Weak, since the superentity retains its subentities.
    private weak var linkedSuperentity: Entity?

    /// The superentity; nil if there is none, or after the schema that contains it was released.
    public var superentity: Entity? {
      get { linkedSuperentity }
      set {
        linkedSuperentity = newValue
        superentityName = newValue?.name
      }
    }

    /// Creates an entity without properties.
    ///
    /// - Parameter name: The name of the entity.
    public init(_ name: String) {
      self.name = name
      self.originalName = name
      self.subentities = []
      self.storedProperties = []
      self.inheritedProperties = []
      self.uniquenessConstraints = []
      self.indices = []
    }

    /// Creates an entity with subentities.
    ///
    /// - Parameters:
    ///   - name: The name of the entity.
    ///   - subentities: The entities that inherit from it.
    ///   - properties: Its own properties.
    public convenience init(_ name: String, subentities: Entity..., properties: any SchemaProperty...) {
      self.init(name)
      self.subentities = Set(subentities)
      adopt(properties)
      for subentity in subentities { subentity.superentity = self }
    }

    /// Creates an entity.
    ///
    /// - Parameters:
    ///   - name: The name of the entity.
    ///   - properties: Its own properties.
    public convenience init(_ name: String, properties: any SchemaProperty...) {
      self.init(name)
      adopt(properties)
    }

    private func adopt(_ properties: [any SchemaProperty]) {
      storedProperties = properties
      adoptUniqueProperties()
    }

    /// Adds a constraint for each stored property that has the option `unique`.
    package func adoptUniqueProperties() {
      for property in storedProperties where property.isUnique {
        addUniquenessConstraint([property.name])
      }
    }

    package func addUniquenessConstraint(_ names: [String]) {
      guard !uniquenessConstraints.contains(names) else { return }
      uniquenessConstraints.append(names)
    }
  }
}

extension Schema.Entity {
  /// The elements of ``indices`` that are B-trees.
  package var binaryIndices: [[String]] {
    var spatial = rtreeIndices
    return indices.filter { names in
      guard let index = spatial.firstIndex(of: names) else { return true }
      spatial.remove(at: index)
      return false
    }
  }
}
