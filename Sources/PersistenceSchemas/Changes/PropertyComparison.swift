import PersistenceRuntime

/// An attribute or a relationship of an encoded schema.
enum PropertyForm {
  case attribute(AttributeForm)
  case relationship(RelationshipForm)

  var name: String {
    switch self {
    case .attribute(let attribute): attribute.name
    case .relationship(let relationship): relationship.name
    }
  }

  var originalName: String {
    switch self {
    case .attribute(let attribute): attribute.originalName
    case .relationship(let relationship): relationship.originalName
    }
  }

  private var noun: String {
    switch self {
    case .attribute: "attribute"
    case .relationship: "relationship"
    }
  }

  private var article: String {
    switch self {
    case .attribute: "an"
    case .relationship: "a"
    }
  }

  // MARK: Descriptions

  /// Sentences that describe a new name of a property, or its change from an attribute to a relationship or back.
  static func sentences(from old: PropertyForm, to new: PropertyForm, in entity: String) -> [String] {
    let renaming = old.name == new.name ? [] : ["\(entity).\(old.name) was renamed to \(new.name)."]
    guard old.noun != new.noun else { return renaming }
    return renaming + [
      "\(entity).\(new.name) was changed from \(old.article) \(old.noun) to \(new.article) \(new.noun)."
    ]
  }

  func sentence(_ event: String, in entity: String) -> String {
    "\(noun.prefix(1).uppercased() + noun.dropFirst()) \(entity).\(name) \(event)."
  }

  static func change(_ subject: String, _ old: String, _ new: String) -> String? {
    old == new ? nil : "\(subject) changed from \(old) to \(new)."
  }

  static func marks(_ options: [String]) -> String {
    options.isEmpty ? "none" : options.joined(separator: ", ")
  }
}

/// Compares two versions of a relationship: describes the changes, and finds those that need custom code.
struct RelationshipComparison {
  let entity: String
  let old: RelationshipForm
  let new: RelationshipForm
  /// Whether the new destination is a superentity of the old one, so that all related objects remain valid.
  let isWidened: Bool

  private var path: String { "\(entity).\(new.name)" }

  // MARK: Descriptions

  func sentences() -> [String] {
    [
      PropertyForm.change("The destination of \(path)", old.destination, new.destination),
      multiplicity,
      old.isOptional == new.isOptional ? nil : "\(path) became \(new.isOptional ? "optional" : "required").",
      PropertyForm.change("The delete rule of \(path)", old.deleteRule.rawValue, new.deleteRule.rawValue),
      PropertyForm.change("The inverse of \(path)", old.inverseName ?? "none", new.inverseName ?? "none"),
      PropertyForm.change("The minimum count of \(path)", "\(old.minimumModelCount)", "\(new.minimumModelCount)"),
      PropertyForm.change("The maximum count of \(path)", "\(old.maximumModelCount)", "\(new.maximumModelCount)"),
      PropertyForm.change("The options of \(path)", old.marks, new.marks),
      PropertyForm.change("The hash modifier of \(path)", old.hashModifier ?? "none", new.hashModifier ?? "none"),
    ].compactMap { $0 }
  }

  private var multiplicity: String? {
    guard old.isToMany != new.isToMany else { return nil }
    return "\(path) became \(new.isToMany ? "to-many" : "to-one")."
  }

  // MARK: Changes that need code

  func obstacles() -> [MigrationObstacle] {
    if old.destination != new.destination, !isWidened {
      return [.relationship(entity, new.name, "It leads to \(new.destination) instead of \(old.destination).")]
    }
    if old.isToMany, !new.isToMany {
      return [.relationship(entity, new.name, "It became to-one, and objects may have several.")]
    }
    guard !old.isToMany, !new.isToMany, old.isOptional, !new.isOptional else { return [] }
    return [.becameRequired(relationship: new.name, of: entity)]
  }
}

extension RelationshipForm {
  fileprivate var marks: String { PropertyForm.marks(options.filter { $0 != .unique }.map(\.debugDescription)) }
}

extension EntityForm {
  /// The properties that the entity declares itself.
  var propertiesByName: [String: PropertyForm] {
    let all = attributes.map { PropertyForm.attribute($0) } + relationships.map { PropertyForm.relationship($0) }
    return Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
  }
}
