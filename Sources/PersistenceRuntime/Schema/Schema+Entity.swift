extension Schema {
  /// The description of one model type: its properties, its hierarchy and its rules. Apple's type.
  ///
  /// Unchecked, because Apple's type is a mutable Sendable class: the library changes an entity only while it builds
  /// the schema. Do not change an entity while a container uses the schema.
  final public class Entity: Codable, Hashable, CustomDebugStringConvertible, @unchecked Sendable {
    /// The name, which is the unqualified name of the model type.
    public var name: String
    /// The name in older versions; equal to ``name`` unless the entity was renamed. Ours.
    public var originalName: String
    /// The entities that inherit from this one directly.
    public var subentities: Set<Entity>
    /// The name of the superentity.
    public var superentityName: String?
    /// The entity's own properties, in declaration order.
    public var storedProperties: [any SchemaProperty]
    /// The properties of the superentities.
    public var inheritedProperties: [any SchemaProperty]
    /// The lists of properties that are unique together, without those of the superentity.
    public var uniquenessConstraints: [[String]]
    /// The lists of properties that are indexed together, without those of the superentity.
    public var indices: [[String]]

    /// The elements of ``indices`` that are R-trees. A list of properties with both kinds of index occurs twice.
    package var rtreeIndices: [[String]] = []
    /// The model type; nil for an entity created by hand or decoded.
    package var modelType: (any PersistentModel.Type)?
    /// The model's metadata, unchanged.
    package var metadata: [PropertyMetadata] = []
    /// The names of all properties by key path, including inherited ones.
    package var namesByKeyPath: [AnyKeyPath: String] = [:]

    // Weak, since the superentity retains its subentities.
    private weak var linkedSuperentity: Entity?

    /// The superentity, as long as the schema that owns it lives.
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

    /// Adds a constraint for every stored property that is unique on its own.
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
