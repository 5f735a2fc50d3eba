import PersistenceRuntime

/// Which entities of two schemas are the same under different names.
///
/// As with properties: an entity whose name was there already, and is still there, is that one, and its original name is
/// of an earlier time; what was renamed is no longer there for an entity that took over its name.
struct EntityRenaming {
  /// The old names by the new ones, without those that stayed.
  let oldNames: [String: String]
  private let newNames: [String: String]
  /// Every name of the new schema.
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

  /// What an entity of the new schema is called in the old one, if it is there.
  func oldName(of entity: String) -> String { oldNames[entity] ?? entity }

  /// What an entity of the old schema is called in the new one; nil when it is gone.
  func newName(of entity: String) -> String? {
    if let name = newNames[entity] { return name }
    return names.contains(entity) && oldNames[entity] == nil ? entity : nil
  }

  /// What stands for an old entity in a comparison: its new name, or one that nothing else has.
  func comparedName(of entity: String) -> String {
    newName(of: entity) ?? (oldNames[entity] == nil ? entity : "\(entity) of before")
  }
}
