import PersistenceRuntime

/// Matches the entities of two schemas by their former names.
///
/// As for properties, an entity that kept its name matches by name: its original name is from an earlier version. A
/// renamed entity frees its name for a new one.
struct EntityRenaming {
  /// The old names of renamed entities by new name.
  let oldNames: [String: String]
  private let newNames: [String: String]
  /// The names in the new schema.
  private let names: Set<String>

  init(from old: [String: EntityForm], to new: [String: EntityForm]) {
    var renamed = new.compactMapValues { Self.source(of: $0, in: old) }
    var isStable = false
    while !isStable {
      let leaving = Set(renamed.values)
      let kept = renamed.filter { old[$0.key] == nil || leaving.contains($0.key) }
      isStable = kept.count == renamed.count
      renamed = kept
    }
    oldNames = renamed
    newNames = Dictionary(renamed.map { ($0.value, $0.key) }) { first, _ in first }
    names = Set(new.keys)
  }

  private static func source(of entity: EntityForm, in old: [String: EntityForm]) -> String? {
    guard let name = entity.originalName, old[name] != nil, old[entity.name]?.originalName != name else { return nil }
    return name
  }

  /// The old name of a new entity, if it existed.
  func oldName(of entity: String) -> String { oldNames[entity] ?? entity }

  /// The new name of an old entity; nil if it was removed.
  func newName(of entity: String) -> String? {
    if let name = newNames[entity] { return name }
    return names.contains(entity) && oldNames[entity] == nil ? entity : nil
  }

  /// The name of an old entity in comparisons: its new name, or an unused one.
  func comparedName(of entity: String) -> String {
    newName(of: entity) ?? (oldNames[entity] == nil ? entity : "\(entity) of before")
  }
}
