import PersistenceRuntime

/// Determines the inverses of relationships.
///
/// If a relationship names its inverse, the linker also sets the inverse of the other side. Then it links pairs of
/// relationships that name no inverse: if they are the only such pair between two different entities, at least one of
/// them is to-one, and at least one is optional.
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

  /// Reports each relationship whose inverse key path does not lead to a relationship of the destination.
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
  /// Whether the relationship may refer to models of an entity: its destination is the entity or a superentity of it.
  func leads(to entity: Schema.Entity) -> Bool {
    destination == entity.name || entity.superentities.contains { $0.name == destination }
  }
}

/// The relationships without an inverse that lead from one entity to another one, and back.
struct InverseCandidates {
  /// The relationships from the entity to the destination, including the given one.
  let there: [Schema.Relationship]
  /// The relationships from the destination to the entity.
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

  /// Whether more than one pair of these relationships could be inverses of each other.
  var isAmbiguous: Bool { !there.isEmpty && !back.isEmpty && there.count + back.count > 2 }

  private static func isFree(_ relationship: Schema.Relationship) -> Bool {
    relationship.inverseName == nil && relationship.inverseKeyPath == nil && !relationship.isOneWay
  }
}
