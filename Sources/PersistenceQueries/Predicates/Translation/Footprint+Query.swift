import PersistenceRuntime
import PersistenceSupport

// Collects the properties and rows that query trees and sort orders read. Each entity of a hierarchy has its own entry,
// because changes are reported by the class of the objects.

extension Footprint {
  /// Adds the rows of an entity and its subentities.
  package mutating func addRows(of entity: EntityLayout, mask: UInt64 = 0) {
    add(Entry(mask: mask, insertions: true, deletions: true), to: entity)
  }

  /// Adds a property of an entity and, for a relationship, the changes of destination rows that change its value.
  ///
  /// - Parameter directory: Finds the destination of a relationship.
  package mutating func add(
    _ position: Int, of entity: EntityLayout, _ directory: (String) -> EntityLayout?
  ) {
    add(Entry(mask: PropertyMask.bit(position)), to: entity)
    guard let relationship = entity.relationship(at: position) else { return }
    guard let destination = directory(relationship.destination) else {
      isUnbounded = true
      return
    }
    // A deletion of a destination row removes references. An insertion adds references, unless the owner stores them.
    let holdsReferences = relationship.storage != .column
    let mask = holdsReferences ? relationship.inverse.map { PropertyMask.bit($0.position) } ?? 0 : 0
    add(Entry(mask: mask, insertions: holdsReferences, deletions: true), to: destination)
  }

  /// Adds the values that a query tree reads.
  package mutating func add(_ tree: QueryTree, of entity: EntityLayout, _ directory: (String) -> EntityLayout?) {
    let entities = add(tree.rows, of: entity, directory)
    for node in tree.nodes {
      switch node {
      case .related(let row, let value):
        guard let owner = entities[Int(row)] else { continue }
        add(value, of: owner, directory)
      default:
        if let value = RowValue(node) { add(value, of: entity, directory) }
      }
    }
  }

  /// Adds the values that a sort order reads.
  package mutating func add(_ order: [SortTerm], of entity: EntityLayout, _ directory: (String) -> EntityLayout?) {
    for term in order {
      var owner = entity
      for step in term.steps {
        add(step.position, of: owner, directory)
        guard let destination = directory(step.destination) else {
          isUnbounded = true
          return
        }
        owner = destination
      }
      add(term.property, of: owner, directory)
    }
  }

  /// Adds the relationships through which a query tree reads related rows. Returns the entity of each row, beginning
  /// with the queried entity; nil for an element of a list.
  private mutating func add(
    _ rows: [QueryRow], of entity: EntityLayout, _ directory: (String) -> EntityLayout?
  ) -> [EntityLayout?] {
    var entities: [EntityLayout?] = [entity]
    for row in rows {
      guard let (from, member, position) = row.origin else {
        entities.append(nil)
        continue
      }
      guard let owner = entities[from]?.family[member],
        let destination = owner.relationship(at: position).flatMap({ directory($0.destination) })
      else {
        isUnbounded = true
        entities.append(nil)
        continue
      }
      add(position, of: owner, directory)
      entities.append(destination)
    }
    return entities
  }

  private mutating func add(_ value: RowValue, of entity: EntityLayout, _ directory: (String) -> EntityLayout?) {
    switch value {
    case .property(let position), .column(let position, _), .composite(let position, _):
      add(Int(position), of: entity, directory)
    case .memberProperty(let member, let position):
      add(Int(position), of: entity.family[Int(member)], directory)
    // A row never changes its key or its class.
    case .key, .isEntity, .element: break
    }
  }

  private mutating func add(_ entry: Entry, to entity: EntityLayout) {
    for member in entity.family { add(entry, of: ObjectIdentifier(member.modelType)) }
  }
}

extension QueryRow {
  /// The referring row, its entity's index in the hierarchy, and the relationship's position; nil for a list element.
  fileprivate var origin: (row: Int, member: Int, position: Int)? {
    switch self {
    case .toOne(let from, let member, let position), .toMany(let from, let member, let position):
      (Int(from), Int(member), Int(position))
    case .element: nil
    }
  }
}
