import PersistenceRuntime

/// A property of either kind, for comparisons.
enum PropertyForm {
  case attribute(AttributeForm)
  case relationship(RelationshipForm)

  var name: String {
    switch self {
    case .attribute(let attribute): attribute.name
    case .relationship(let relationship): relationship.name
    }
  }

  private var originalName: String {
    switch self {
    case .attribute(let attribute): attribute.originalName
    case .relationship(let relationship): relationship.originalName
    }
  }

  var noun: String {
    switch self {
    case .attribute: "attribute"
    case .relationship: "relationship"
    }
  }

  /// The old property that this one was renamed from; nil if it was not renamed in this step.
  ///
  /// If the old property of the same name has the same original name, the renaming is from an earlier version.
  func renamedSource(in old: [String: PropertyForm]) -> PropertyForm? {
    guard originalName != name, old[name]?.originalName != originalName else { return nil }
    return old[originalName]
  }

  /// Describes the differences as sentences.
  func differences(from old: PropertyForm, in entity: String) -> [String] {
    let path = "\(entity).\(name)"
    let renaming = name == old.name ? [] : ["\(entity).\(old.name) was renamed to \(name)."]
    switch (old, self) {
    case (.attribute(let old), .attribute(let new)):
      return renaming + AttributeDifference(path: path, old: old, new: new).sentences()
    case (.relationship(let old), .relationship(let new)):
      return renaming + RelationshipDifference(path: path, old: old, new: new).sentences()
    default:
      return renaming + ["\(path) was changed from \(old.article) \(old.noun) to \(article) \(noun)."]
    }
  }

  private var article: String {
    switch self {
    case .attribute: "an"
    case .relationship: "a"
    }
  }
}

struct AttributeDifference {
  let path: String
  let old: AttributeForm
  let new: AttributeForm

  func sentences() -> [String] {
    [
      change("The type of \(path)", old.type.summary, new.type.summary),
      optionality,
      change("The default of \(path)", old.standard, new.standard),
      change("The options of \(path)", old.marks, new.marks),
      change("The hash modifier of \(path)", old.hashModifier ?? "none", new.hashModifier ?? "none"),
    ].compactMap { $0 } + MemberDifference(path: path, old: old.members, new: new.members).sentences()
  }

  private var optionality: String? {
    guard old.isOptional != new.isOptional else { return nil }
    return "\(path) became \(new.isOptional ? "optional" : "required")."
  }
}

private struct RelationshipDifference {
  let path: String
  let old: RelationshipForm
  let new: RelationshipForm

  func sentences() -> [String] {
    [
      change("The destination of \(path)", old.destination, new.destination),
      multiplicity,
      old.isOptional == new.isOptional ? nil : "\(path) became \(new.isOptional ? "optional" : "required").",
      change("The delete rule of \(path)", old.deleteRule.rawValue, new.deleteRule.rawValue),
      change("The inverse of \(path)", old.inverseName ?? "none", new.inverseName ?? "none"),
      change("The minimum count of \(path)", "\(old.minimumModelCount)", "\(new.minimumModelCount)"),
      change("The maximum count of \(path)", "\(old.maximumModelCount)", "\(new.maximumModelCount)"),
      change("The options of \(path)", old.marks, new.marks),
      change("The hash modifier of \(path)", old.hashModifier ?? "none", new.hashModifier ?? "none"),
    ].compactMap { $0 }
  }

  private var multiplicity: String? {
    guard old.isToMany != new.isToMany else { return nil }
    return "\(path) became \(new.isToMany ? "to-many" : "to-one")."
  }
}

private func change(_ subject: String, _ old: String, _ new: String) -> String? {
  old == new ? nil : "\(subject) changed from \(old) to \(new)."
}

extension AttributeForm {
  fileprivate var standard: String { defaultValue.map { "\($0)" } ?? "none" }

  // The entity's rules describe uniqueness.
  fileprivate var marks: String {
    let marks = options.filter { $0 != .unique }.map(\.debugDescription)
    return marks.isEmpty ? "none" : marks.joined(separator: ", ")
  }
}

extension RelationshipForm {
  fileprivate var marks: String {
    let marks = options.filter { $0 != .unique }.map(\.debugDescription)
    return marks.isEmpty ? "none" : marks.joined(separator: ", ")
  }
}
