/// The models that a relationship without a column of its own holds, for one object or for many.
///
/// Rows come with the primary key and all columns of the destination, then, unless it is among those, the key of the object
/// that holds the model, and then the model's position in the relationship, or NULL where its key decides. Where pairs have a table the rows come in
/// order and the position is always NULL.
package struct MemberRequest: Sendable {
  /// Whose relationship it is.
  package enum Owners: Sendable {
    case one(Int64)
    case some([Int64])
    /// Every object that has the relationship, which can be answered by reading the destination from end to end.
    case all
  }

  package let relationship: RelationshipLayout
  package let entity: EntityLayout
  package let destination: EntityLayout
  package let owners: Owners

  package init(
    relationship: RelationshipLayout, entity: EntityLayout, destination: EntityLayout, owners: Owners
  ) {
    self.relationship = relationship
    self.entity = entity
    self.destination = destination
    self.owners = owners
  }

  /// The places of the owner's key and of the model's position in a row.
  package var columns: (owner: Int32, position: Int32) {
    guard destination.inheritance == nil else {
      let last = FamilyPlace.all(of: FetchRequest(entity: destination)).nameColumn
      return (last + 1, last + 2)
    }
    let end = Int32(1 + destination.properties.reduce(0) { $0 + $1.columns.count })
    guard hasOwnerAmongColumns, let inverse = relationship.inverse else { return (end, end + 1) }
    let before = destination.properties[..<inverse.position].reduce(0) { $0 + $1.columns.count }
    return (Int32(1 + before), end)
  }

  /// Whether the destination's own columns have the key of the owner, so that it need not be read a second time.
  package var hasOwnerAmongColumns: Bool {
    relationship.storage == .inverseColumn && destination.inheritance == nil
  }
}

/// Two models that a relationship connects, by their keys.
package struct RelatedPair: Sendable, Hashable {
  package let owner: Int64
  package let target: Int64

  package init(owner: Int64, target: Int64) {
    self.owner = owner
    self.target = target
  }
}
