import PersistenceRuntime

/// Whether the values of an attribute can be taken over into a new version of it.
struct AttributeComparison {
  let entity: String
  /// The attribute, or the member by the names that lead to it.
  let property: String
  /// Whether the attribute has a default, whose members stand in for missing ones.
  let hasDefault: Bool
  /// The attribute that the store keeps; the same for all members of it.
  private var attribute: String { property.split(separator: ".").first.map(String.init) ?? property }

  func obstacles(from old: AttributeForm, to new: AttributeForm) -> [MigrationObstacle] {
    if new.options.contains(.ephemeral) { return [] }
    if old.options.contains(.ephemeral) { return missing(new, "is stored from now on") }
    if old.isTransformable || new.isTransformable {
      return transformers(of: old) == transformers(of: new) ? optionality(old, new) : [type(old, new)]
    }
    switch (old.members, new.members) {
    case (nil, nil):
      let isConvertible = Self.isConvertible(old.type, to: new.type)
      return isConvertible ? optionality(old, new) : [type(old, new)]
    case (let before?, let after?): return optionality(old, new) + members(before, after)
    default: return [type(old, new)]
    }
  }

  /// Whether what is stored of one type is, or becomes by widening, a value of another.
  static func isConvertible(_ old: StoredTypeName, to new: StoredTypeName) -> Bool {
    if old == new || NumericWidening.widens(old.name, to: new.name) { return true }
    // An enum is stored as its raw value: under another name it is the same, and so is the raw value itself.
    guard let raw = old.rawName else { return false }
    return new.rawName == raw || (new.rawName == nil && new.name == raw)
  }

  private func members(_ old: [AttributeForm], _ new: [AttributeForm]) -> [MigrationObstacle] {
    let before = Dictionary(old.map { ($0.name, $0) }) { first, _ in first }
    return new.flatMap { member -> [MigrationObstacle] in
      let comparison = AttributeComparison(
        entity: entity, property: "\(property).\(member.name)", hasDefault: hasDefault)
      guard let source = before[member.name] else { return comparison.missing(member, "is a new required member") }
      return comparison.obstacles(from: source, to: member)
    }
  }

  private func optionality(_ old: AttributeForm, _ new: AttributeForm) -> [MigrationObstacle] {
    guard old.isOptional, !new.isOptional, !hasDefault else { return [] }
    // What becomes required inside of a struct is looked for in no row.
    return property == attribute ? [.becameRequired(entity, property)] : missing(new, "became required")
  }

  private func missing(_ new: AttributeForm, _ event: String) -> [MigrationObstacle] {
    new.isOptional || hasDefault ? [] : [.missingDefault(entity, property, event)]
  }

  private func type(_ old: AttributeForm, _ new: AttributeForm) -> MigrationObstacle {
    .type(entity, property, from: old.storedType, to: new.storedType)
  }

  private func transformers(of form: AttributeForm) -> [String] {
    form.options.filter { $0.isTransformable }.map(\.text)
  }
}

extension AttributeForm {
  /// The type, with what else decides how its values are stored.
  fileprivate var storedType: String {
    let marks = options.filter { $0.isTransformable || $0 == .codable }.map { " with \($0.debugDescription)" }
    return type.summary + (members == nil ? "" : " in several columns") + marks.joined()
  }
}
