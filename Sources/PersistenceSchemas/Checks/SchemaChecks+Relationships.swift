import PersistenceRuntime

extension SchemaChecks {
  func relationshipProblems(of entity: Schema.Entity) -> [SchemaProblem] {
    entity.storedRelationships.flatMap { relationship in
      [
        destinationProblem(of: relationship, in: entity),
        inverseProblem(of: relationship, in: entity),
        uniquenessProblem(of: relationship, in: entity),
        countProblem(of: relationship, in: entity),
      ].compactMap { $0 }
    }
  }

  private func destinationProblem(of relationship: Schema.Relationship, in entity: Schema.Entity) -> SchemaProblem? {
    let type = PropertyType(relationship.valueType)
    let path = "\(entity.name).\(relationship.name)"
    if type.destination == nil, !type.isUnknown {
      return SchemaProblem(
        .destinationIsNoModel, entity: entity.name, property: relationship.name,
        "\(path): a relationship leads to a model or to an array of models, and \(type.wrapped) is neither. "
          + "Make its type a @Model, or remove @Relationship."
      )
    }
    guard schema.entitiesByName[relationship.destination] == nil else { return nil }
    return SchemaProblem(
      .destinationIsMissing, entity: entity.name, property: relationship.name,
      "\(path): it leads to \(quoted(relationship.destination)), which the schema does not have. "
        + "Add that entity, or set `destination` to the name of one."
    )
  }

  private func inverseProblem(of relationship: Schema.Relationship, in entity: Schema.Entity) -> SchemaProblem? {
    guard let name = relationship.inverseName else { return nil }
    guard let destination = schema.entitiesByName[relationship.destination] else { return nil }
    guard let inverse = destination.property(named: name) as? Schema.Relationship else {
      return .inverseIsNoRelationship(
        entity: entity.name, property: relationship.name, destination: relationship.destination
      )
    }
    guard inverse.leads(to: entity) else { return straying(relationship, inverse, in: entity) }
    guard inverse.inverseName != relationship.name else { return nil }
    return disagreeing(relationship, inverse, in: entity)
  }

  private func straying(
    _ relationship: Schema.Relationship, _ inverse: Schema.Relationship, in entity: Schema.Entity
  ) -> SchemaProblem {
    SchemaProblem(
      .inverseDoesNotLeadBack, entity: entity.name, property: relationship.name,
      """
      \(entity.name).\(relationship.name): its inverse \(relationship.destination).\(inverse.name) leads to \
      \(inverse.destination) and not back to \(entity.name). Name a relationship that leads to \(entity.name).
      """
    )
  }

  private func disagreeing(
    _ relationship: Schema.Relationship, _ inverse: Schema.Relationship, in entity: Schema.Entity
  ) -> SchemaProblem {
    let other = inverse.inverseName.map { "\(inverse.destination).\($0)" } ?? "another"
    return SchemaProblem(
      .inversesDisagree, entity: entity.name, property: relationship.name,
      """
      \(entity.name).\(relationship.name): it names \(relationship.destination).\(inverse.name) as its inverse, whose \
      own inverse is \(other). Give `inverse:` on one side only, and name each relationship once.
      """
    )
  }

  private func uniquenessProblem(of relationship: Schema.Relationship, in entity: Schema.Entity) -> SchemaProblem? {
    guard relationship.isUnique, !relationship.isToOneRelationship else { return nil }
    return SchemaProblem(
      .uniqueToMany, entity: entity.name, property: relationship.name,
      """
      \(entity.name).\(relationship.name): a relationship to several models cannot be unique. \
      Remove .unique, or make the relationship lead to one model.
      """
    )
  }

  private func countProblem(of relationship: Schema.Relationship, in entity: Schema.Entity) -> SchemaProblem? {
    let least = relationship.minimumModelCount ?? 0
    let most = relationship.maximumModelCount ?? 0
    guard let reason = Self.contradiction(least: least, most: most) else { return nil }
    return SchemaProblem(
      .impossibleModelCount, entity: entity.name, property: relationship.name,
      """
      \(entity.name).\(relationship.name): \(reason). \
      Give counts from 0 on, a maximum that the minimum does not exceed, or 0 for no maximum.
      """
    )
  }

  private static func contradiction(least: Int, most: Int) -> String? {
    if least < 0 { return "its minimumModelCount \(least) is negative" }
    if most < 0 { return "its maximumModelCount \(most) is negative" }
    if most > 0, least > most { return "its minimumModelCount \(least) exceeds its maximumModelCount \(most)" }
    return nil
  }

  /// Reports each pair of entities between which several pairs of relationships could be inverses.
  func ambiguousInverses() -> [SchemaProblem] {
    var pairs: Set<[String]> = []
    return schema.entities.flatMap { entity in
      entity.storedRelationships.compactMap { relationship in
        let destination = schema.entitiesByName[relationship.destination]
        let candidates = InverseCandidates(of: relationship, in: entity, destination: destination)
        guard candidates.isAmbiguous, let destination else { return nil }
        guard pairs.insert([entity.name, destination.name].sorted()).inserted else { return nil }
        return ambiguity(candidates, of: relationship, in: entity, destination)
      }
    }
  }

  private func ambiguity(
    _ candidates: InverseCandidates,
    of relationship: Schema.Relationship,
    in entity: Schema.Entity,
    _ destination: Schema.Entity
  ) -> SchemaProblem {
    let there = candidates.there.map { "\(entity.name).\($0.name)" }.joined(separator: ", ")
    let back = candidates.back.map { "\(destination.name).\($0.name)" }.joined(separator: ", ")
    return SchemaProblem(
      .ambiguousInverse, entity: entity.name, property: relationship.name,
      """
      \(entity.name).\(relationship.name): it is not clear which of \(there) and which of \(back) are each other's \
      inverses. Say it with @Relationship(inverse:) on one side of each pair.
      """
    )
  }
}
