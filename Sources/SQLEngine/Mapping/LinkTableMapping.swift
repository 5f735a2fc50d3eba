import PersistenceCore

/// The table that holds one to-many relationship: who, at which position, whom.
package struct LinkTableMapping: Sendable, Hashable {
  package static let ownerColumn = "owner"
  package static let positionColumn = "position"
  package static let targetColumn = "target"

  package let name: String
  package let indexName: String
  /// The table of the entity that owns the relationship.
  package let owner: String
  /// The table that the relationship leads to, nil when it is not in this store.
  package let destination: String?

  static func all(
    of entity: EntityLayout, tableNames: [String: String], names: inout NameRegister
  ) -> [Int: LinkTableMapping] {
    var links: [Int: LinkTableMapping] = [:]
    for property in entity.properties {
      guard let destination = property.kind.toManyDestination else { continue }
      let name = names.claim("\(DatabaseMapping.ownPrefix)link_\(entity.name)_\(property.name)")
      links[property.position] = LinkTableMapping(
        name: name, indexName: names.claim("\(name)_target"), owner: tableNames[entity.name] ?? entity.name,
        destination: tableNames[destination])
    }
    return links
  }
}
