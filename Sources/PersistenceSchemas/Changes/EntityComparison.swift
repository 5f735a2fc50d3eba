import PersistenceRuntime

/// What has become of one entity that is in both of two schemas.
struct EntityComparison {
  let name: String
  /// The old property of each new one, own or inherited, that was there.
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

  // MARK: In words

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
      return property.differences(from: source, in: name).map {
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

  private func ruleSteps(_ old: EntityForm, _ new: EntityForm) -> [MigrationStep] {
    RuleDifference(old: old, new: new).sentences().map { MigrationStep(.changeRules, of: name, $0) }
  }

  // MARK: What needs code

  var obstacles: [MigrationObstacle] {
    guard let new else { return [] }
    // What an entity inherits is looked at where it is declared, unless what was there was not inherited from there.
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
    case (.attribute(let old), .attribute(let new)):
      AttributeComparison(entity: name, property: new.name, hasDefault: hasDefault(new)).obstacles(from: old, to: new)
    case (.relationship(let old), .relationship(let new)): obstacles(from: old, to: new)
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

  private func obstacles(from old: RelationshipForm, to new: RelationshipForm) -> [MigrationObstacle] {
    if old.destination != new.destination, !isWider(new.destination, than: old.destination) {
      let reason = "It leads to \(new.destination) instead of \(old.destination)."
      return [.relationship(name, new.name, reason)]
    }
    if old.isToMany, !new.isToMany {
      return [.relationship(name, new.name, "It became to-one, and objects may have several.")]
    }
    guard !old.isToMany, !new.isToMany, old.isOptional, !new.isOptional else { return [] }
    return [.becameRequired(relationship: new.name, of: name)]
  }

  /// Whether all objects of an old entity are objects of a new one.
  private func isWider(_ entity: String, than old: String) -> Bool {
    models.entitiesByName[old]?.superentities.contains { $0.name == entity } ?? false
  }

  /// The schema that is written down has no defaults of types of its own, and none that are new each time.
  private func hasDefault(_ form: AttributeForm) -> Bool {
    let attribute = models.entitiesByName[name]?.property(named: form.name) as? Schema.Attribute
    return attribute?.defaultValue != nil || form.defaultValue != nil
  }
}

extension PropertyForm {
  /// The old property of each new one.
  ///
  /// What was renamed is no longer there for a new property that took over its name. A property whose name was there
  /// already, and is still there, is that one: its original name is then of an earlier time.
  static func sources(
    of after: [String: PropertyForm], in before: [String: PropertyForm]
  ) -> [String: PropertyForm] {
    var renamed = after.compactMapValues { $0.renamedSource(in: before) }
    var isStable = false
    while !isStable {
      let leaving = Set(renamed.values.map(\.name))
      let kept = renamed.filter { before[$0.key] == nil || leaving.contains($0.key) }
      isStable = kept.count == renamed.count
      renamed = kept
    }
    let taken = Set(renamed.values.map(\.name))
    let unchanged = before.filter { after[$0.key] != nil && !taken.contains($0.key) }
    return renamed.merging(unchanged) { renamed, _ in renamed }
  }

  func sentence(_ event: String, in entity: String) -> String {
    "\(noun.prefix(1).uppercased() + noun.dropFirst()) \(entity).\(name) \(event)."
  }
}
