import PersistenceRuntime

/// The table that holds the pairs of a relationship, as one of its two ends sees it.
///
/// A row has a number, the keys of the two rows that it connects, and for each of them where the other one stands in its
/// relationship, when that is not where the number puts it.
package struct LinkTableMapping: Sendable, Hashable {
  /// One of the two sides of a pair.
  package struct Side: Sendable, Hashable {
    package let column: String
    package let positionColumn: String
    /// The table of the rows on this side, nil when it is not in this store.
    package let table: String?
  }

  package static let keyColumn = DatabaseMapping.keyColumn

  package let name: String
  package let indexName: String
  /// The side of the objects that have the relationship.
  package let owner: Side
  /// The side of the objects that the relationship holds.
  package let target: Side
  /// Whether the table is made for this end; of two ends that share one it is the first.
  package let isDefining: Bool

  /// The references of both sides, as far as their rows are in this store.
  var references: [TableReference] { [owner, target].compactMap(reference(of:)) }

  /// The reference of a side. A pair goes with either of its rows.
  func reference(of side: Side) -> TableReference? {
    side.table.map { TableReference(table: name, column: side.column, target: $0, action: .cascade) }
  }

  static func all(
    of entity: EntityLayout, tableNames: [String: String], linkNames: LinkNames
  ) -> [Int: LinkTableMapping] {
    var links: [Int: LinkTableMapping] = [:]
    for relationship in entity.relationships {
      guard case .links(let isReversed) = relationship.storage else { continue }
      links[relationship.position] = LinkTableMapping(relationship, isReversed: isReversed, tableNames, linkNames)
    }
    return links
  }

  private init(
    _ relationship: RelationshipLayout, isReversed: Bool, _ tableNames: [String: String], _ linkNames: LinkNames
  ) {
    let own = Side(
      column: isReversed ? "target" : "owner", positionColumn: isReversed ? "owner_position" : "target_position",
      table: tableNames[relationship.entity])
    let other = Side(
      column: isReversed ? "owner" : "target", positionColumn: isReversed ? "target_position" : "owner_position",
      table: tableNames[relationship.destination])
    let end =
      isReversed
      ? (relationship.destination, relationship.inverse?.name ?? "") : (relationship.entity, relationship.name)
    name = linkNames.table(ofEnd: end.0, end.1)
    indexName = linkNames.index(ofEnd: end.0, end.1)
    owner = own
    target = other
    isDefining = !isReversed
  }
}
