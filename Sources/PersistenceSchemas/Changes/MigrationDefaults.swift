import PersistenceRuntime

/// What the columns of new properties hold in rows that are there already, by entity and property.
package struct MigrationDefaults {
  package private(set) var values: [String: [String: [StoredValue]]] = [:]

  /// - Parameter usesPlaceholders: Whether what has no default gets the emptiest value there is.
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
  /// Whether a property is not what it was, so that old rows may lack something.
  fileprivate func needsDefault(_ property: String, in entity: String) -> Bool {
    guard let source = source(of: property, in: entity), let before = oldForm(of: source, in: entity),
      let after = newForm(of: property, in: entity)
    else { return true }
    return before != after
  }
}
