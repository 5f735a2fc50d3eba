import PersistenceRuntime

extension Schema {
  /// Describes the changes since an older schema as sentences, sorted by entity.
  ///
  /// Empty if the contents are equal, regardless of the versions.
  package func differences(from old: Schema) -> [String] {
    SchemaChange(from: old, to: self).steps.map(\.description)
  }
}

/// Describes the changes of an entity's rules.
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
  /// The entity's own properties.
  var propertiesByName: [String: PropertyForm] {
    let all = attributes.map { PropertyForm.attribute($0) } + relationships.map { PropertyForm.relationship($0) }
    return Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
  }
}
