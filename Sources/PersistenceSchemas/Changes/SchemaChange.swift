import PersistenceRuntime
import PersistenceSupport

/// The difference between two schemas: which entities and properties were renamed, a description of each change, and
/// the changes that need custom code. Independent of the database: an engine translates it to statements.
package final class SchemaChange: Sendable {
  package let old: Schema
  package let new: Schema
  /// The changes with their descriptions, sorted by entity.
  package let steps: [MigrationStep]
  /// The changes that need code; empty if an automatic migration can perform all changes.
  package let obstacles: [MigrationObstacle]
  private let renaming: EntityRenaming
  private let sources: [String: [String: String]]
  private let volatileDefaults: [String: Set<String>]

  package init(from old: Schema, to new: Schema) {
    self.old = old
    self.new = new
    let forms = SchemaForms(old: old, new: new)
    renaming = forms.renaming
    let comparisons = forms.kept.map { EntityComparison($0, in: forms, models: new) }
    sources = Dictionary(uniqueKeysWithValues: comparisons.map { ($0.name, $0.sources.mapValues(\.name)) })
    obstacles = comparisons.flatMap(\.obstacles)
    let compared = Dictionary(uniqueKeysWithValues: comparisons.map { ($0.name, $0.steps) })
    steps = forms.names.flatMap { name -> [MigrationStep] in
      if forms.old[name] == nil { return [MigrationStep(.addEntity, of: name, "Entity \(name) was added.")] }
      if forms.new[name] == nil { return [MigrationStep(.removeEntity, of: name, "Entity \(name) was removed.")] }
      let renamed = forms.renaming.oldNames[name].map { old in
        MigrationStep(.renameEntity, of: name, "Entity \(old) was renamed to \(name).")
      }
      return [renamed].compactMap { $0 } + (compared[name] ?? [])
    }
    let attributes = new.entities.map { ($0.name, Set($0.attributes.filter(\.isDefaultVolatile).map(\.name))) }
    volatileDefaults = Dictionary(attributes) { first, _ in first }
  }

  /// Whether an entity exists in both schemas.
  package func isKept(_ entity: String) -> Bool { sources[entity] != nil }

  /// The name that an entity of the new schema had in the old schema. If the entity is new, its present name.
  package func oldName(of entity: String) -> String { renaming.oldName(of: entity) }

  /// The name that an entity of the old schema has in the new schema; nil if the entity was removed.
  package func newName(of oldEntity: String) -> String? { renaming.newName(of: oldEntity) }

  /// Whether an entity was renamed.
  package func isRenamed(_ entity: String) -> Bool { renaming.oldNames[entity] != nil }

  /// The old name of a property, which may be inherited; nil if the property is new.
  package func source(of property: String, in entity: String) -> String? { sources[entity]?[property] }

  /// Whether the default of the property differs for each object, as `UUID()` does.
  package func isDefaultVolatile(_ property: String, in entity: String) -> Bool {
    volatileDefaults[entity]?.contains(property) == true
  }

  package func oldForm(of property: String, in entity: String) -> AttributeForm? {
    Self.form(of: property, in: old.entitiesByName[oldName(of: entity)])
  }

  package func newForm(of property: String, in entity: String) -> AttributeForm? {
    Self.form(of: property, in: new.entitiesByName[entity])
  }

  private static func form(of property: String, in entity: Schema.Entity?) -> AttributeForm? {
    (entity?.property(named: property) as? Schema.Attribute).map { AttributeForm($0) }
  }

  /// Whether the old value at a path cannot be converted. The path consists of the property's name and, for a member of
  /// a struct, of the names of the members that lead to it.
  package func losesValue(at path: [String], in entity: String) -> Bool {
    guard !obstacles.isEmpty else { return false }
    let entities = [entity] + (new.entitiesByName[entity]?.superentities.map(\.name) ?? [])
    let prefixes = Set((1...max(1, path.count)).map { path.prefix($0).joined(separator: ".") })
    return obstacles.contains { $0.losesValue && entities.contains($0.entity) && prefixes.contains($0.property) }
  }

  /// The error that opening a store throws if its schema has changed in a way that needs code.
  ///
  /// - Parameters:
  ///   - obstacles: The obstacles.
  ///   - subject: The subject of the message, such as the store and the versions.
  package func error(of obstacles: [MigrationObstacle], _ subject: String) -> SwiftDataError {
    SwiftDataError(
      .unknownSchema,
      "\(subject) cannot be migrated without code, and has not been changed:\n"
        + obstacles.map { "  \($0)" }.joined(separator: "\n"))
  }
}

extension Schema {
  /// Sentences that describe the changes since an older schema, sorted by entity. The result is empty if both schemas
  /// have the same entities, even if their versions differ.
  package func differences(from old: Schema) -> [String] {
    SchemaChange(from: old, to: self).steps.map(\.description)
  }
}

/// The entities of two schemas as values that can be compared. A renamed entity has its new name in both dictionaries.
struct SchemaForms {
  let old: [String: EntityForm]
  let new: [String: EntityForm]
  let renaming: EntityRenaming

  init(old: Schema, new: Schema) {
    let before = Dictionary(SchemaForm.entities(of: old).map { ($0.name, $0) }) { first, _ in first }
    let after = Dictionary(SchemaForm.entities(of: new).map { ($0.name, $0) }) { first, _ in first }
    let renaming = EntityRenaming(from: before, to: after)
    let forms =
      renaming.oldNames.isEmpty ? Array(before.values) : before.values.map { $0.renamed(by: renaming.comparedName) }
    self.old = Dictionary(forms.map { ($0.name, $0) }) { first, _ in first }
    self.new = after
    self.renaming = renaming
  }

  var kept: [String] { new.keys.filter { old[$0] != nil }.sorted() }
  var names: [String] { Set(old.keys).union(new.keys).sorted() }

  /// The properties of an entity, including inherited ones.
  static func properties(of name: String, in entities: [String: EntityForm]) -> [String: PropertyForm] {
    var result: [String: PropertyForm] = [:]
    var next = entities[name]
    var seen: Set<String> = []
    while let entity = next, seen.insert(entity.name).inserted {
      result.merge(entity.propertiesByName) { nearer, _ in nearer }
      next = entity.superentity.flatMap { entities[$0] }
    }
    return result
  }
}
