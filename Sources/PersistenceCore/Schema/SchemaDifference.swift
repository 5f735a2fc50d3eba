extension Schema {
  /// Says in sentences what this schema has changed since an older one, in alphabetical order of the entities.
  ///
  /// Empty when both have the same content, whatever their versions say.
  package func differences(from old: Schema) -> [String] {
    SchemaDifference(
      old: SchemaForm.entities(of: old),
      new: SchemaForm.entities(of: self)
    ).sentences()
  }
}

/// What has changed between two schemas.
private struct SchemaDifference {
  let old: [String: EntityForm]
  let new: [String: EntityForm]

  init(old: [EntityForm], new: [EntityForm]) {
    self.old = Dictionary(old.map { ($0.name, $0) }) { first, _ in first }
    self.new = Dictionary(new.map { ($0.name, $0) }) { first, _ in first }
  }

  func sentences() -> [String] {
    Set(old.keys).union(new.keys).sorted().flatMap { name -> [String] in
      switch (old[name], new[name]) {
      case (nil, .some): ["Entity \(name) was added."]
      case (.some, nil): ["Entity \(name) was removed."]
      case (.some(let old), .some(let new)): EntityDifference(old: old, new: new).sentences()
      case (nil, nil): []
      }
    }
  }
}

/// What has changed between two versions of one entity.
private struct EntityDifference {
  let old: EntityForm
  let new: EntityForm

  func sentences() -> [String] {
    guard old != new else { return [] }
    return superentity() + properties() + rules()
  }

  private func superentity() -> [String] {
    guard old.superentity != new.superentity else { return [] }
    let before = old.superentity ?? "nothing"
    return ["Entity \(new.name) inherits from \(new.superentity ?? "nothing") instead of \(before)."]
  }

  private func properties() -> [String] {
    let before = old.properties
    let after = new.properties
    let sources = sources(of: after, in: before)
    let changed = after.keys.sorted().flatMap { name -> [String] in
      guard let property = after[name] else { return [] }
      guard let source = sources[name] else { return [sentence(about: property, "was added")] }
      return property.differences(from: source, in: new.name)
    }
    let kept = Set(sources.values.map(\.name))
    let removed = before.keys.filter { !kept.contains($0) }.sorted().compactMap { before[$0] }
    return changed + removed.map { sentence(about: $0, "was removed") }
  }

  // What was renamed is no longer there for a new property that took over its name.
  private func sources(
    of after: [String: PropertyForm], in before: [String: PropertyForm]
  ) -> [String: PropertyForm] {
    let renamed = after.compactMapValues { $0.renamedSource(in: before) }
    let taken = Set(renamed.values.map(\.name))
    let unchanged = before.filter { after[$0.key] != nil && !taken.contains($0.key) }
    return renamed.merging(unchanged) { renamed, _ in renamed }
  }

  private func sentence(about property: PropertyForm, _ event: String) -> String {
    "\(property.noun.capitalizedFirst) \(new.name).\(property.name) \(event)."
  }

  private func rules() -> [String] {
    let unique = changes(from: old.uniquenessConstraints, to: new.uniquenessConstraints, called: "unique")
    return unique + changes(from: old.indices.map(\.words), to: new.indices.map(\.words), called: "indexed")
  }

  private func changes(from old: [[String]], to new: [[String]], called state: String) -> [String] {
    let gone = old.filter { !new.contains($0) }.map { $0.joined(separator: ", ") }
    let come = new.filter { !old.contains($0) }.map { $0.joined(separator: ", ") }
    let name = self.new.name
    return gone.map { "\(name) is no longer \(state) by \($0)." } + come.map { "\(name) is now \(state) by \($0)." }
  }
}

extension IndexForm {
  fileprivate var words: [String] { kind == .rtree ? properties + ["as an R-tree"] : properties }
}

extension EntityForm {
  fileprivate var properties: [String: PropertyForm] {
    let all = attributes.map { PropertyForm.attribute($0) } + relationships.map { PropertyForm.relationship($0) }
    return Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
