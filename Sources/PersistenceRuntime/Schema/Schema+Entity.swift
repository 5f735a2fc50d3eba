extension Schema {
  /// The description of one kind of model: its properties, its place in a hierarchy, and the rules over its rows.
  ///
  /// Unchecked, because Apple's is a mutable class that is Sendable: this library changes an entity only while the
  /// schema that owns it is being made, before anybody else can see it. Whoever changes one later must not do so
  /// while a container uses the schema.
  final public class Entity: Codable, Hashable, CustomDebugStringConvertible, @unchecked Sendable {
    /// The name of the entity: the unqualified name of the model.
    public var name: String
    /// The name that the entity had in older versions; the same as ``name`` when it had no other. Ours.
    public var originalName: String
    /// The entities that inherit from this one.
    public var subentities: Set<Entity>
    /// The name of the entity that this one inherits from.
    public var superentityName: String?
    /// The properties that this entity adds to those it inherits, in the order of their declaration.
    public var storedProperties: [any SchemaProperty]
    /// The properties that this entity has from its superentities.
    public var inheritedProperties: [any SchemaProperty]
    /// The lists of properties of which no two models may share all values, without those of the superentity.
    public var uniquenessConstraints: [[String]]
    /// The lists of properties that are indexed together, without those of the superentity.
    public var indices: [[String]]

    /// The members of ``indices`` that are to be R-trees. A list that is to be both kinds of index is there twice.
    package var rtreeIndices: [[String]] = []
    /// The model that the entity was read from; nil when it was put together by hand or decoded.
    package var modelType: (any PersistentModel.Type)?
    /// What the model says about itself, as it says it.
    package var metadata: [PropertyMetadata] = []
    /// The names of the properties by the key paths that lead to them, inherited ones included.
    package var namesByKeyPath: [AnyKeyPath: String] = [:]

    // Weak, since the superentity holds its subentities.
    private weak var linkedSuperentity: Entity?

    /// The entity that this one inherits from, as long as the schema that holds it lives.
    public var superentity: Entity? {
      get { linkedSuperentity }
      set {
        linkedSuperentity = newValue
        superentityName = newValue?.name
      }
    }

    /// Makes an entity without properties.
    public init(_ name: String) {
      self.name = name
      self.originalName = name
      self.subentities = []
      self.storedProperties = []
      self.inheritedProperties = []
      self.uniquenessConstraints = []
      self.indices = []
    }

    /// Makes an entity with properties that others inherit.
    public convenience init(_ name: String, subentities: Entity..., properties: any SchemaProperty...) {
      self.init(name)
      self.subentities = Set(subentities)
      adopt(properties)
      for subentity in subentities { subentity.superentity = self }
    }

    /// Makes an entity with properties.
    public convenience init(_ name: String, properties: any SchemaProperty...) {
      self.init(name)
      adopt(properties)
    }

    private func adopt(_ properties: [any SchemaProperty]) {
      storedProperties = properties
      adoptUniqueProperties()
    }

    /// Makes a constraint of every stored property that is unique by itself.
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
  /// The members of ``indices`` that are to be plain indexes.
  package var binaryIndices: [[String]] {
    var spatial = rtreeIndices
    return indices.filter { names in
      guard let place = spatial.firstIndex(of: names) else { return true }
      spatial.remove(at: place)
      return false
    }
  }

  /// Takes out what a superentity has already.
  package func removeIndices(binary: Set<[String]>, rtree: Set<[String]>) {
    guard !binary.isEmpty || !rtree.isEmpty else { return }
    let kept = binaryIndices.filter { !binary.contains($0) }
    rtreeIndices.removeAll { rtree.contains($0) }
    indices = kept + rtreeIndices
  }
}
