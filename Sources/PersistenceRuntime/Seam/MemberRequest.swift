/// The models that a relationship without a column of its own holds, for one object or for many.
///
/// Rows come with the primary key and the columns of the destination in ``mask``, then, unless it is among those or left
/// out, the key of the object that holds the model, and then the model's position in the relationship, or NULL where its
/// key decides. Where pairs have a table the rows come in order and the position is always NULL.
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
  /// Whether the rows come without the key of the object that holds them, because there is one and it is known.
  package let omitsOwner: Bool

  /// - Parameter knowsOwner: Whether the key of the object that holds a model need not be told where there is only one.
  package init(
    relationship: RelationshipLayout, entity: EntityLayout, destination: EntityLayout, owners: Owners,
    knowsOwner: Bool = false
  ) {
    self.relationship = relationship
    self.entity = entity
    self.destination = destination
    self.owners = owners
    let position = relationship.inverse?.position ?? PropertyMask.sharedPosition
    if case .one = owners, knowsOwner, position < PropertyMask.sharedPosition {
      omitsOwner = Self.hasOwnerAmongColumns(relationship, destination)
    } else {
      omitsOwner = false
    }
  }

  /// The properties of the destination whose columns are in the rows.
  package var mask: UInt64 {
    guard omitsOwner, let inverse = relationship.inverse else { return PropertyMask.all }
    return ~PropertyMask.bit(inverse.position)
  }

  /// The places of the owner's key and of the model's position in a row; no owner where it is left out.
  package var columns: (owner: Int32?, position: Int32) {
    guard destination.inheritance == nil else {
      let last = FamilyPlace.all(of: FetchRequest(entity: destination)).nameColumn
      return (last + 1, last + 2)
    }
    let end = destination.firstColumns[destination.properties.count]
    if omitsOwner { return (nil, end - 1) }
    guard hasOwnerAmongColumns, let inverse = relationship.inverse else { return (end, end + 1) }
    return (destination.firstColumns[inverse.position], end)
  }

  /// Whether the destination's own columns have the key of the owner, so that it need not be read a second time.
  package var hasOwnerAmongColumns: Bool { Self.hasOwnerAmongColumns(relationship, destination) }

  private static func hasOwnerAmongColumns(_ relationship: RelationshipLayout, _ destination: EntityLayout) -> Bool {
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
