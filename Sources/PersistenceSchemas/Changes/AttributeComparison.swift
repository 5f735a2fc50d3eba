import PersistenceRuntime

/// Compares the old and the new version of an attribute: describes the changes, and finds those that need custom code.
struct AttributeComparison {
  let entity: String
  /// The name of the attribute. If a member of a struct is compared, its path, such as `address.city`.
  let property: String
  let old: AttributeForm
  let new: AttributeForm
  /// Whether the attribute has a default. The migration uses it for missing values of the attribute and of its members.
  let hasDefault: Bool
  /// The name of the attribute that contains the compared member, or of the compared attribute itself.
  private var attribute: String { property.split(separator: ".").first.map(String.init) ?? property }

  private var path: String { "\(entity).\(property)" }

  /// The comparison of a member of the attribute's struct.
  private func member(_ old: AttributeForm, _ new: AttributeForm) -> AttributeComparison {
    AttributeComparison(
      entity: entity, property: "\(property).\(new.name)", old: old, new: new, hasDefault: hasDefault)
  }

  private static func byName(_ members: [AttributeForm]) -> [String: AttributeForm] {
    Dictionary(members.map { ($0.name, $0) }) { first, _ in first }
  }

  // MARK: Descriptions

  func sentences() -> [String] {
    [
      PropertyForm.change("The type of \(path)", old.type.summary, new.type.summary),
      optionalitySentence,
      PropertyForm.change("The default of \(path)", old.standard, new.standard),
      PropertyForm.change("The options of \(path)", old.marks, new.marks),
      PropertyForm.change("The hash modifier of \(path)", old.hashModifier ?? "none", new.hashModifier ?? "none"),
    ].compactMap { $0 } + memberSentences()
  }

  private var optionalitySentence: String? {
    guard old.isOptional != new.isOptional else { return nil }
    return "\(path) became \(new.isOptional ? "optional" : "required")."
  }

  private func memberSentences() -> [String] {
    switch (old.members, new.members) {
    case (nil, nil): return []
    case (nil, _): return ["\(path) is stored in several parts now."]
    case (_, nil): return ["\(path) is no longer stored in several parts."]
    case (let old?, let new?): return sentences(from: Self.byName(old), to: Self.byName(new))
    }
  }

  private func sentences(from old: [String: AttributeForm], to new: [String: AttributeForm]) -> [String] {
    let names = Set(old.keys).union(new.keys).sorted()
    return names.flatMap { name -> [String] in
      guard let before = old[name] else { return ["Attribute \(path).\(name) was added."] }
      guard let after = new[name] else { return ["Attribute \(path).\(name) was removed."] }
      return member(before, after).sentences()
    }
  }

  // MARK: Changes that need code

  func obstacles() -> [MigrationObstacle] {
    if new.options.contains(.ephemeral) { return [] }
    if old.options.contains(.ephemeral) { return missing(new, at: property, "is stored from now on") }
    if old.isTransformable || new.isTransformable {
      return transformers(of: old) == transformers(of: new) ? optionality() : [conversion()]
    }
    switch (old.members, new.members) {
    case (nil, nil): return Self.isConvertible(old.type, to: new.type) ? optionality() : [conversion()]
    case (let before?, let after?): return optionality() + obstacles(from: Self.byName(before), to: after)
    default: return [conversion()]
    }
  }

  /// Whether the stored values of an old type can be used for a new type, possibly after a numeric conversion.
  static func isConvertible(_ old: StoredTypeName, to new: StoredTypeName) -> Bool {
    if old == new || NumericWidening.widens(old.name, to: new.name) { return true }
    // An enum is stored as its raw value. If it is renamed, or replaced by its raw type, the values stay valid.
    guard let raw = old.rawName else { return false }
    return new.rawName == raw || (new.rawName == nil && new.name == raw)
  }

  private func obstacles(from old: [String: AttributeForm], to new: [AttributeForm]) -> [MigrationObstacle] {
    new.flatMap { form -> [MigrationObstacle] in
      if let source = old[form.name] { return member(source, form).obstacles() }
      return missing(form, at: "\(property).\(form.name)", "is a new required member")
    }
  }

  private func optionality() -> [MigrationObstacle] {
    guard old.isOptional, !new.isOptional, !hasDefault else { return [] }
    // The migration does not check whether members of structs are nil, so a member that became required needs code.
    return property == attribute ? [.becameRequired(entity, property)] : missing(new, at: property, "became required")
  }

  private func missing(_ form: AttributeForm, at property: String, _ event: String) -> [MigrationObstacle] {
    form.isOptional || hasDefault ? [] : [.missingDefault(entity, property, event)]
  }

  private func conversion() -> MigrationObstacle {
    .type(entity, property, from: old.storedType, to: new.storedType)
  }

  private func transformers(of form: AttributeForm) -> [String] {
    form.options.filter { $0.isTransformable }.map(\.text)
  }
}

extension AttributeForm {
  fileprivate var standard: String { defaultValue.map { "\($0)" } ?? "none" }

  // The options without `.unique`, whose changes are described with the uniqueness rules of the entity.
  fileprivate var marks: String { PropertyForm.marks(options.filter { $0 != .unique }.map(\.debugDescription)) }

  /// The type, and the options that determine how values are stored, for messages.
  fileprivate var storedType: String {
    let marks = options.filter { $0.isTransformable || $0 == .codable }.map { " with \($0.debugDescription)" }
    return type.summary + (members == nil ? "" : " in several columns") + marks.joined()
  }
}

/// The changes from one numeric type to another that need no code, because the new type can represent every value.
enum NumericWidening {
  /// Returns true if the new type can represent every value of the old type. Also true for 64-bit integers that become
  /// `Double`, because the migration checks each stored integer.
  static func widens(_ old: String, to new: String) -> Bool {
    guard old != new, let from = extents[old], let to = extents[new] else { return false }
    return switch (from, to) {
    case (.signed(let bits), .signed(let wider)): bits <= wider
    case (.unsigned(let bits), .unsigned(let wider)): bits <= wider
    case (.unsigned(let bits), .signed(let wider)): bits < wider
    case (.signed(let bits), .real(let digits)), (.unsigned(let bits), .real(let digits)):
      // For `Double`, the migration itself rejects integers that it cannot represent.
      digits == 53 || bits <= digits
    case (.real(let digits), .real(let wider)): digits <= wider
    case (.signed, .decimal), (.unsigned, .decimal): true
    default: false
    }
  }

  private enum Extent {
    case signed(Int)
    case unsigned(Int)
    /// A floating-point type with this number of binary digits.
    case real(Int)
    case decimal
  }

  private static let extents: [String: Extent] = [
    "Int8": .signed(8), "Int16": .signed(16), "Int32": .signed(32), "Int64": .signed(64), "Int": .signed(64),
    "UInt8": .unsigned(8), "UInt16": .unsigned(16), "UInt32": .unsigned(32), "UInt64": .unsigned(64),
    "UInt": .unsigned(64), "Float": .real(24), "Double": .real(53), "Decimal": .decimal,
  ]
}
