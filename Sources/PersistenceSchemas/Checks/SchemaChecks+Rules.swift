import PersistenceRuntime

extension SchemaChecks {
  func ruleProblems(of entity: Schema.Entity) -> [SchemaProblem] {
    let unique = entity.uniquenessConstraints.flatMap { ruleProblems($0, called: "A uniqueness rule", in: entity) }
    return unique + entity.indices.flatMap { ruleProblems($0, called: "An index", in: entity) }
  }

  private func ruleProblems(_ names: [String], called rule: String, in entity: Schema.Entity) -> [SchemaProblem] {
    guard !names.isEmpty else {
      let text = "\(entity.name): \(rule.lowercased()) names no property. Name at least one in its list, or remove it."
      return [SchemaProblem(.emptyRule, entity: entity.name, text)]
    }
    return names.compactMap { ruleProblem(of: $0, called: rule, in: entity) }
  }

  private func ruleProblem(of name: String, called rule: String, in entity: Schema.Entity) -> SchemaProblem? {
    guard let property = entity.property(named: name) else {
      if entity.hasMember(named: name) { return nil }
      return SchemaProblem(
        .unknownPropertyInRule, entity: entity.name, property: name,
        "\(entity.name).\(quoted(name)): \(rule.lowercased()) names it, and \(entity.name) has no such property. "
          + "Correct the name."
      )
    }
    guard let reason = Self.unsuitability(of: property) else { return nil }
    return SchemaProblem(
      .unsuitablePropertyInRule, entity: entity.name, property: name,
      "\(entity.name).\(name): \(rule.lowercased()) names it, but \(reason). Take it out of the rule."
    )
  }

  // The checks of relationships report a unique to-many relationship, so it is not reported here.
  private static func unsuitability(of property: any SchemaProperty) -> String? {
    if property.isTransient { return "it is never written to the store" }
    if (property as? Schema.Attribute)?.options.contains(.encrypt) == true {
      return "it is encrypted, so that the store cannot compare it"
    }
    guard let relationship = property as? Schema.Relationship, !relationship.isToOneRelationship else { return nil }
    return relationship.isUnique ? nil : "it relates to several models"
  }

  func inheritanceProblems(of entity: Schema.Entity) -> [SchemaProblem] {
    [missingSuperclass(of: entity), missingMark(of: entity), cycle(of: entity)].compactMap { $0 }
  }

  private func missingSuperclass(of entity: Schema.Entity) -> SchemaProblem? {
    let superclass = entity.modelType.flatMap { EntityLinker.supermodel(of: $0) }
    let isListed = superclass.map { schema.entitiesByType[ObjectIdentifier($0)] != nil }
    let name = superclass.map { Schema.entityName(ofModel: $0) } ?? entity.superentityName
    guard let name, isListed != true, entity.superentity == nil else { return nil }
    return SchemaProblem(
      .superclassIsMissing, entity: entity.name,
      """
      \(entity.name): it inherits from \(name), which the schema does not list. \
      List \(name) too, since a model is stored with what it inherits.
      """
    )
  }

  /// Reports a subclass of a model that lacks `@Model`. Such a subclass inherits the metadata of its superclass, so the
  /// key paths in the metadata start at the superclass.
  private func missingMark(of entity: Schema.Entity) -> SchemaProblem? {
    guard let type = entity.modelType, type._$isGenerated, let superclass = EntityLinker.supermodel(of: type),
      let keyPath = entity.propertyMetadata.first?.keypath, Swift.type(of: keyPath).rootType != type
    else { return nil }
    return SchemaProblem(
      .subclassIsNoModel, entity: entity.name,
      "\(entity.name): it inherits from the model \(superclass) and is none itself. Mark it with @Model, or do not list it."
    )
  }

  private func cycle(of entity: Schema.Entity) -> SchemaProblem? {
    let last = entity.superentities.last ?? entity
    guard let next = last.superentity else { return nil }
    guard next === entity || entity.superentities.contains(where: { $0 === next }) else { return nil }
    return SchemaProblem(
      .inheritsFromItself, entity: entity.name,
      "\(entity.name): it inherits from itself by way of its superentities. Correct `superentityName`."
    )
  }
}

extension Schema.Entity {
  /// Whether a name such as `address.city` refers to a member of a composite attribute.
  func hasMember(named name: String) -> Bool { member(named: name) != nil }

  /// The member of a composite attribute that has a name such as `address.city`.
  func member(named name: String) -> Schema.Attribute? {
    var names = name.split(separator: ".", omittingEmptySubsequences: false)[...]
    guard let first = names.popFirst(), var composite = property(named: String(first)) as? Schema.CompositeAttribute
    else { return nil }
    while let next = names.popFirst() {
      guard let member = composite.properties.first(where: { $0.name == next }) else { return nil }
      if names.isEmpty { return member }
      guard let inner = member as? Schema.CompositeAttribute else { return nil }
      composite = inner
    }
    return nil
  }
}
