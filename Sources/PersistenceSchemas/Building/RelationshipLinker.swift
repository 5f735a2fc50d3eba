import PersistenceRuntime

/// Resolves the inverses of relationships.
///
/// An inverse given on one side applies to both sides. Without one, two entities with exactly one relationship to each
/// other are linked, unless both ends are to-many, both are required, or the entities are the same.
struct RelationshipLinker {
  let entities: [Schema.Entity]
  private let byName: [String: Schema.Entity]

  init(entities: [Schema.Entity]) {
    self.entities = entities
    self.byName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
  }

  func link() {
    for entity in entities {
      for relationship in entity.storedRelationships { resolveKeyPath(of: relationship) }
    }
    for entity in entities {
      for relationship in entity.storedRelationships { completeInverse(of: relationship, in: entity) }
    }
    for entity in entities {
      for relationship in entity.storedRelationships { inferInverse(of: relationship, in: entity) }
    }
  }

  /// The problems of inverse key paths that name no relationship.
  func unresolvedInverses() -> [SchemaProblem] {
    entities.flatMap { entity in
      entity.storedRelationships.compactMap { relationship in
        guard relationship.inverseKeyPath != nil, relationship.inverseName == nil else { return nil }
        return .inverseIsNoRelationship(
          entity: entity.name, property: relationship.name, destination: relationship.destination
        )
      }
    }
  }

  private func resolveKeyPath(of relationship: Schema.Relationship) {
    guard relationship.inverseName == nil, let keypath = relationship.inverseKeyPath else { return }
    guard let name = byName[relationship.destination]?.propertyName(for: keypath) else { return }
    relationship.inverseName = name
  }

  private func completeInverse(of relationship: Schema.Relationship, in entity: Schema.Entity) {
    guard let inverse = inverse(of: relationship), inverse.leads(to: entity) else { return }
    guard inverse.inverseName == nil, inverse.inverseKeyPath == nil else { return }
    inverse.inverseName = relationship.name
    inverse.inverseKeyPath = relationship.keypath
  }

  private func inverse(of relationship: Schema.Relationship) -> Schema.Relationship? {
    relationship.inverseName.flatMap { byName[relationship.destination]?.property(named: $0) } as? Schema.Relationship
  }

  private func inferInverse(of relationship: Schema.Relationship, in entity: Schema.Entity) {
    let candidates = InverseCandidates(of: relationship, in: entity, destination: byName[relationship.destination])
    guard candidates.there.count == 1, candidates.back.count == 1, let inverse = candidates.back.first else { return }
    guard Self.isInferable(relationship, inverse) else { return }
    relationship.inverseName = inverse.name
    relationship.inverseKeyPath = inverse.keypath
    inverse.inverseName = relationship.name
    inverse.inverseKeyPath = relationship.keypath
  }

  private static func isInferable(_ relationship: Schema.Relationship, _ inverse: Schema.Relationship) -> Bool {
    let isOneSideSingle = relationship.isToOneRelationship || inverse.isToOneRelationship
    let isOneSideOptional = relationship.isOptional || inverse.isOptional
    return isOneSideSingle && isOneSideOptional
  }
}

extension Schema.Relationship {
  /// Whether the relationship may contain models of an entity: its destination, or a subentity.
  func leads(to entity: Schema.Entity) -> Bool {
    destination == entity.name || entity.superentities.contains { $0.name == destination }
  }
}

/// The relationships between two entities whose inverse is neither given nor inferred.
struct InverseCandidates {
  /// The relationships in the same direction, including the one whose inverse is sought.
  let there: [Schema.Relationship]
  /// The relationships in the opposite direction.
  let back: [Schema.Relationship]

  init(of relationship: Schema.Relationship, in entity: Schema.Entity, destination: Schema.Entity?) {
    guard Self.isFree(relationship), let destination, destination !== entity else {
      there = []
      back = []
      return
    }
    there = entity.storedRelationships.filter { Self.isFree($0) && $0.destination == destination.name }
    back = destination.storedRelationships.filter { Self.isFree($0) && $0.destination == entity.name }
  }

  /// Whether several pairs of inverses are possible.
  var isAmbiguous: Bool { !there.isEmpty && !back.isEmpty && there.count + back.count > 2 }

  private static func isFree(_ relationship: Schema.Relationship) -> Bool {
    relationship.inverseName == nil && relationship.inverseKeyPath == nil && !relationship.isOneWay
  }
}
