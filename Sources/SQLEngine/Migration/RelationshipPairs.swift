import PersistenceRuntime
import PersistenceSchemas

/// The pairs of rows that an old relationship connects, and where they are stored: in a column or in a link table.
struct RelationshipPairs: Hashable {
  /// The name of the old table that stores the pairs.
  let table: String
  /// The columns that contain the keys of the two rows.
  let owner: String
  let target: String
  /// The columns that contain the position of each row in the list of the other row.
  let targetPosition: String?
  let ownerPosition: String?
  /// The tables of the two rows.
  let ownerTable: String
  let targetTable: String

  /// Identifies where the pairs are stored. It is the same for a relationship and for its inverse.
  var location: Set<String> { [table, "\(owner) \(target)", "\(target) \(owner)"] }

  /// The same pairs, as those of the inverse relationship.
  var reversed: RelationshipPairs {
    RelationshipPairs(
      table: table, owner: target, target: owner, targetPosition: ownerPosition, ownerPosition: targetPosition,
      ownerTable: targetTable, targetTable: ownerTable)
  }
}

extension DatabaseMigration {
  /// The pairs of a relationship's old version; nil if it has no old version, or if its pairs are not kept.
  func oldPairs(of relationship: String, in entity: String) -> RelationshipPairs? {
    guard let (table, property) = oldProperty(relationship, in: entity), let layout = property.relationship,
      !change.losesValue(at: [relationship], in: entity)
    else { return nil }
    return pairs(of: layout, in: table)
  }

  private func pairs(of relationship: RelationshipLayout, in table: TableMapping) -> RelationshipPairs? {
    guard let destination = old.table(named: relationship.destination) else { return nil }
    let key = DatabaseMapping.keyColumn
    switch relationship.storage {
    case .column:
      guard let column = table.columns(of: relationship.position).first else { return nil }
      return RelationshipPairs(
        table: table.name, owner: key, target: column.name, targetPosition: nil,
        ownerPosition: table.positionColumns[relationship.position], ownerTable: table.name,
        targetTable: destination.name)
    case .inverseColumn:
      guard let inverse = relationship.inverse, let column = destination.columns(of: inverse.position).first else {
        return nil
      }
      return RelationshipPairs(
        table: destination.name, owner: column.name, target: key,
        targetPosition: destination.positionColumns[inverse.position], ownerPosition: nil, ownerTable: table.name,
        targetTable: destination.name)
    case .links:
      guard let link = table.links[relationship.position] else { return nil }
      return RelationshipPairs(
        table: link.name, owner: link.owner.column, target: link.target.column,
        targetPosition: link.owner.positionColumn, ownerPosition: link.target.positionColumn, ownerTable: table.name,
        targetTable: destination.name)
    }
  }
}
