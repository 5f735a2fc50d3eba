import PersistenceRuntime

/// The stored values of new properties in existing rows, by entity and property.
package struct MigrationDefaults {
  package private(set) var values: [String: [String: [StoredValue]]] = [:]

  /// - Parameter usesPlaceholders: Whether properties without a default get a placeholder.
  package init(
    _ change: SchemaChange, _ new: MigrationSchema, cipher: (any ValueCipher)?, usesPlaceholders: Bool
  ) throws {
    for entity in new.layouts where change.isKept(entity.name) {
      for property in entity.properties where !property.columns.isEmpty && !property.isRelationship {
        guard change.needsDefault(property.name, in: entity.name) else { continue }
        let columns = DefaultColumns(of: property, in: entity, schema: new.schema, cipher: cipher)
        let isOptional = property.isOptional
        values[entity.name, default: [:]][property.name] =
          usesPlaceholders && !isOptional ? try columns.placeholders() : try columns.values()
      }
    }
  }
}

extension SchemaChange {
  /// Whether a property changed, so that existing rows may lack a value.
  fileprivate func needsDefault(_ property: String, in entity: String) -> Bool {
    guard let source = source(of: property, in: entity),
      let before = old.entitiesByName[oldName(of: entity)]?.property(named: source) as? Schema.Attribute,
      let after = new.entitiesByName[entity]?.property(named: property) as? Schema.Attribute
    else { return true }
    return AttributeForm(before) != AttributeForm(after)
  }
}
