import PersistenceRuntime

extension Schema {
  /// Says in sentences what this schema has changed since an older one, in alphabetical order of the entities.
  ///
  /// Empty when both have the same content, whatever their versions say.
  package func differences(from old: Schema) -> [String] {
    SchemaChange(from: old, to: self).steps.map(\.description)
  }
}

/// What has changed about the rules over an entity's rows.
struct RuleDifference {
  let old: EntityForm
  let new: EntityForm

  func sentences() -> [String] {
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
  /// The properties that the entity declares itself.
  var propertiesByName: [String: PropertyForm] {
    let all = attributes.map { PropertyForm.attribute($0) } + relationships.map { PropertyForm.relationship($0) }
    return Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
  }
}
