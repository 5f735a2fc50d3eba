import PersistenceRuntime

extension SchemaChecks {
  func duplicateEntities() -> [SchemaProblem] {
    let groups = Dictionary(grouping: schema.entities) { $0.name.lowercased() }
    return groups.values.filter { $0.count > 1 }.map(Self.duplicate).sorted { $0.entity < $1.entity }
  }

  private static func duplicate(_ entities: [Schema.Entity]) -> SchemaProblem {
    let types = entities.map { entity in entity.modelType.map { String(reflecting: $0) } ?? "entity \(entity.name)" }
    return SchemaProblem(
      .duplicateEntity, entity: entities.first?.name ?? "",
      """
      \(entities.first?.name ?? ""): \(types.joined(separator: " and ")) have one name, which a store does not tell \
      apart even by its case. Rename all but one, or list only those of one version.
      """
    )
  }

  func nameProblems(of entity: Schema.Entity) -> [SchemaProblem] {
    var problems: [SchemaProblem] = []
    if let reason = Self.obstacle(to: entity.name) {
      let text = "\(quoted(entity.name)): the entity cannot be stored, since its name \(reason). Rename the model."
      problems.append(SchemaProblem(.entityNameNotStorable, entity: entity.name, text))
    }
    for property in entity.storedProperties {
      guard let reason = Self.obstacle(to: property.name) else { continue }
      problems.append(Self.unstorable(property, in: entity, because: reason))
    }
    return problems + duplicateProperties(of: entity)
  }

  private static func unstorable(
    _ property: any SchemaProperty, in entity: Schema.Entity, because reason: String
  ) -> SchemaProblem {
    SchemaProblem(
      .propertyNameNotStorable, entity: entity.name, property: property.name,
      """
      \(entity.name).\(quoted(property.name)): the property cannot be stored, since its name \(reason). \
      Rename it, or mark it with @Transient.
      """
    )
  }

  private static func obstacle(to name: String) -> String? {
    if name.isEmpty { return "is empty" }
    if name.unicodeScalars.contains("\0") { return "contains a NUL" }
    return ["_osd_", "sqlite_"].first { name.lowercased().hasPrefix($0) }.map { "begins with \($0), which is reserved" }
  }

  private func duplicateProperties(of entity: Schema.Entity) -> [SchemaProblem] {
    let groups = Dictionary(grouping: entity.properties) { $0.name.lowercased() }
    return groups.values.filter { $0.count > 1 }.map { properties in
      let names = properties.map(\.name)
      return SchemaProblem(
        .duplicateProperty, entity: entity.name, property: names[0],
        """
        \(entity.name).\(names[0]): \(names.joined(separator: " and ")) have one name, which a store does not tell \
        apart even by its case. Rename one of them.
        """
      )
    }.sorted { $0.description < $1.description }
  }

  func originalEntityNameProblems() -> [SchemaProblem] {
    let groups = Dictionary(grouping: schema.entities) { $0.originalName }
    return schema.entities.filter { $0.originalName != $0.name }.compactMap { entity in
      let original = quoted(entity.originalName)
      guard let other = groups[entity.originalName]?.first(where: { $0.name != entity.name }) else { return nil }
      guard other.name == other.originalName else {
        return SchemaProblem(
          .originalEntityNameIsShared, entity: entity.name,
          "\(entity.name): \(entity.name) and \(other.name) both say that they were \(original). "
            + "Keep `originalName:` on the one that the old objects are of.")
      }
      return SchemaProblem(
        .originalEntityNameIsTaken, entity: entity.name,
        "\(entity.name): it says that it was \(original), which is another entity now. "
          + "Remove `originalName:`, or say with `originalName:` what \(original) was before.")
    }
  }

  func originalNameProblems(of entity: Schema.Entity) -> [SchemaProblem] {
    let groups = Dictionary(grouping: entity.properties) { $0.originalName }
    return entity.storedProperties.compactMap { property in
      guard property.originalName != property.name else { return nil }
      let others = (groups[property.originalName] ?? []).filter { $0.name != property.name }
      guard let other = others.first else { return nil }
      return originalNameProblem(of: property, and: other, in: entity)
    }
  }

  private func originalNameProblem(
    of property: any SchemaProperty, and other: any SchemaProperty, in entity: Schema.Entity
  ) -> SchemaProblem {
    let path = "\(entity.name).\(property.name)"
    guard other.name == other.originalName else {
      return SchemaProblem(
        .originalNameIsShared, entity: entity.name, property: property.name,
        "\(path): \(property.name) and \(other.name) both say that they were \(property.originalName). "
          + "Keep `originalName:` on the one that the old values are for."
      )
    }
    return SchemaProblem(
      .originalNameIsTaken, entity: entity.name, property: property.name,
      "\(path): it says that it was \(other.name), which is another property now. "
        + "Remove `originalName:`, or say with `originalName:` what \(other.name) was before."
    )
  }
}

/// The name for a message. It is quoted if it is empty or contains control characters.
func quoted(_ name: String) -> String {
  let isPlain = !name.isEmpty && name.unicodeScalars.allSatisfy { $0.value >= 32 }
  return isPlain ? name : name.debugDescription
}
