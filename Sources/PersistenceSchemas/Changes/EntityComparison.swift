import PersistenceRuntime

/// Compares the old and the new version of an entity: describes the changes, and finds those that need custom code.
struct EntityComparison {
  let name: String
  /// The old version of each property that already existed, by the property's new name. Includes inherited properties.
  let sources: [String: PropertyForm]
  private let old: EntityForm?
  private let new: EntityForm?
  private let forms: SchemaForms
  private let models: Schema

  init(_ name: String, in forms: SchemaForms, models: Schema) {
    self.name = name
    self.forms = forms
    self.models = models
    self.old = forms.old[name]
    self.new = forms.new[name]
    let before = SchemaForms.properties(of: name, in: forms.old)
    let after = SchemaForms.properties(of: name, in: forms.new)
    sources = PropertyForm.sources(of: after, in: before)
  }

  // MARK: Descriptions

  var steps: [MigrationStep] {
    guard let old, let new, old != new else { return [] }
    return superentitySteps(old, new) + propertySteps(old, new) + ruleSteps(old, new)
  }

  private func superentitySteps(_ old: EntityForm, _ new: EntityForm) -> [MigrationStep] {
    guard old.superentity != new.superentity else { return [] }
    let (before, after) = (old.superentity ?? "nothing", new.superentity ?? "nothing")
    return [
      MigrationStep(.changeSuperentity, of: name, "Entity \(name) inherits from \(after) instead of \(before).")
    ]
  }

  private func propertySteps(_ old: EntityForm, _ new: EntityForm) -> [MigrationStep] {
    let changed = new.propertiesByName.sorted { $0.key < $1.key }.flatMap { key, property -> [MigrationStep] in
      guard let source = sources[key] else {
        return [MigrationStep(.addProperty, of: name, property: key, property.sentence("was added", in: name))]
      }
      return sentences(from: source, to: property).map {
        MigrationStep(.changeProperty, of: name, property: key, $0)
      }
    }
    let kept = Set(sources.values.map(\.name))
    let removed = old.propertiesByName.filter { !kept.contains($0.key) }.sorted { $0.key < $1.key }
    return changed
      + removed.map {
        MigrationStep(.removeProperty, of: name, property: $0.key, $0.value.sentence("was removed", in: name))
      }
  }

  private func sentences(from source: PropertyForm, to property: PropertyForm) -> [String] {
    let sentences = PropertyForm.sentences(from: source, to: property, in: name)
    return switch (source, property) {
    case (.attribute(let old), .attribute(let new)): sentences + comparison(old, new).sentences()
    case (.relationship(let old), .relationship(let new)): sentences + comparison(old, new).sentences()
    default: sentences
    }
  }

  private func ruleSteps(_ old: EntityForm, _ new: EntityForm) -> [MigrationStep] {
    let unique = ruleSentences(old.uniquenessConstraints, new.uniquenessConstraints, called: "unique")
    let indexed = ruleSentences(old.indices.map(\.words), new.indices.map(\.words), called: "indexed")
    return (unique + indexed).map { MigrationStep(.changeRules, of: name, $0) }
  }

  private func ruleSentences(_ old: [[String]], _ new: [[String]], called state: String) -> [String] {
    let gone = old.filter { !new.contains($0) }.map { $0.joined(separator: ", ") }
    let come = new.filter { !old.contains($0) }.map { $0.joined(separator: ", ") }
    return gone.map { "\(name) is no longer \(state) by \($0)." } + come.map { "\(name) is now \(state) by \($0)." }
  }

  // MARK: Obstacles

  var obstacles: [MigrationObstacle] {
    guard let new else { return [] }
    // Inherited properties are compared in the entity that declares them. If this entity has another superentity than
    // before, they are compared here too.
    let isElsewhere = old?.superentity != new.superentity
    let properties = isElsewhere ? SchemaForms.properties(of: name, in: forms.new) : new.propertiesByName
    return properties.sorted { $0.key < $1.key }.flatMap { key, property in
      obstacles(to: property, from: sources[key])
    }
  }

  private func obstacles(to property: PropertyForm, from source: PropertyForm?) -> [MigrationObstacle] {
    switch (source, property) {
    case (nil, .attribute(let attribute)): added(attribute)
    case (nil, .relationship(let relationship)): added(relationship)
    case (.attribute(let old), .attribute(let new)): comparison(old, new).obstacles()
    case (.relationship(let old), .relationship(let new)): comparison(old, new).obstacles()
    case (.attribute(let old), .relationship(let new)):
      [.relationship(name, new.name, "The attribute \(old.name) of type \(old.type.name) became a relationship.")]
    case (.relationship, .attribute(let new)):
      [.type(name, new.name, from: "relationship", to: new.type.name)]
    }
  }

  private func added(_ attribute: AttributeForm) -> [MigrationObstacle] {
    guard !attribute.isOptional, !attribute.options.contains(.ephemeral), !hasDefault(attribute) else { return [] }
    return [.missingDefault(name, attribute.name, "is a new required attribute")]
  }

  private func added(_ relationship: RelationshipForm) -> [MigrationObstacle] {
    guard !relationship.isToMany, !relationship.isOptional else { return [] }
    return [.relationship(name, relationship.name, "It is a new required relationship, which stored objects lack.")]
  }

  // MARK: Existing properties

  private func comparison(_ old: AttributeForm, _ new: AttributeForm) -> AttributeComparison {
    AttributeComparison(entity: name, property: new.name, old: old, new: new, hasDefault: hasDefault(new))
  }

  private func comparison(_ old: RelationshipForm, _ new: RelationshipForm) -> RelationshipComparison {
    RelationshipComparison(
      entity: name, old: old, new: new, isWidened: isWider(new.destination, than: old.destination))
  }

  /// Whether the new destination is a superentity of the old one, so that it includes all objects of the old one.
  private func isWider(_ entity: String, than old: String) -> Bool {
    models.entitiesByName[old]?.superentities.contains { $0.name == entity } ?? false
  }

  /// Whether the attribute has a default. Some defaults, such as volatile ones, are missing from the encoded schema, so
  /// the schema of the models is inspected too.
  private func hasDefault(_ form: AttributeForm) -> Bool {
    let attribute = models.entitiesByName[name]?.property(named: form.name) as? Schema.Attribute
    return attribute?.defaultValue != nil || form.defaultValue != nil
  }
}

extension IndexForm {
  fileprivate var words: [String] { kind == .rtree ? properties + ["as an R-tree"] : properties }
}

extension PropertyForm {
  /// The old version of each property that already existed, by the property's new name.
  ///
  /// If `a` was renamed to `b`, and another property is now named `a`, this other property is new. If the old schema
  /// already has `b`, then `b` is the old version of `b`, even if its original name is `a`: that renaming was part of
  /// an earlier migration.
  fileprivate static func sources(
    of after: [String: PropertyForm], in before: [String: PropertyForm]
  ) -> [String: PropertyForm] {
    let oldNames = EntityRenaming.oldNames(from: before, to: after) { $0.originalName }
    let taken = Set(oldNames.values)
    let unchanged = before.filter { after[$0.key] != nil && !taken.contains($0.key) }
    return oldNames.compactMapValues { before[$0] }.merging(unchanged) { renamed, _ in renamed }
  }
}

/// Finds the entities that were renamed between two schemas.
///
/// If `A` was renamed to `B`, and another entity is now named `A`, this other entity is new. If the old schema already
/// has `B`, then `B` is not renamed now, even if its original name is `A`: an earlier migration renamed it.
struct EntityRenaming {
  /// The old names of the renamed entities, by their new names.
  let oldNames: [String: String]
  private let newNames: [String: String]
  /// The names of all entities in the new schema.
  private let names: Set<String>

  init(from old: [String: EntityForm], to new: [String: EntityForm]) {
    let oldNames = Self.oldNames(from: old, to: new, originalName: \.originalName)
    self.oldNames = oldNames
    newNames = Dictionary(oldNames.map { ($0.value, $0.key) }) { first, _ in first }
    names = Set(new.keys)
  }

  /// The old names of renamed entities, or of renamed properties of an entity, by their new names.
  ///
  /// An entity or property is not renamed if its old version already has the same original name.
  static func oldNames<Form>(
    from old: [String: Form], to new: [String: Form], originalName: (Form) -> String?
  ) -> [String: String] {
    var renamed: [String: String] = [:]
    for (name, form) in new {
      guard let original = originalName(form), original != name, old[original] != nil,
        old[name].flatMap(originalName) != original
      else { continue }
      renamed[name] = original
    }
    var isStable = false
    while !isStable {
      let leaving = Set(renamed.values)
      let kept = renamed.filter { old[$0.key] == nil || leaving.contains($0.key) }
      isStable = kept.count == renamed.count
      renamed = kept
    }
    return renamed
  }

  /// The old name of an entity in the new schema. If the entity is new or was not renamed, its present name.
  func oldName(of entity: String) -> String { oldNames[entity] ?? entity }

  /// The new name of an entity in the old schema; nil if the entity was removed.
  func newName(of entity: String) -> String? {
    if let name = newNames[entity] { return name }
    return names.contains(entity) && oldNames[entity] == nil ? entity : nil
  }

  /// The name by which an old entity is compared: its new name. If the entity was removed and a renamed entity now has
  /// its name, returns a name that no other entity has.
  func comparedName(of entity: String) -> String {
    newName(of: entity) ?? (oldNames[entity] == nil ? entity : "\(entity) of before")
  }
}
