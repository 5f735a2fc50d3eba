/// A fetch of the related models of a relationship without a column of its own, for one or many owners.
///
/// A row has the primary key and the columns of the destination in ``mask``, then the owner's key, unless it is among
/// those or omitted, then the model's position in the relationship, or NULL if its key determines the order. With a
/// pair table the rows are ordered and the position is always NULL.
package struct MemberRequest: Sendable {
  /// The owners of the relationship.
  package enum Owners: Sendable {
    case one(Int64)
    case some([Int64])
    /// All owners, which a scan of the destination can answer.
    case all
  }

  package let relationship: RelationshipLayout
  package let entity: EntityLayout
  package let destination: EntityLayout
  package let owners: Owners
  /// Whether rows omit the owner's key, because there is one known owner.
  package let omitsOwner: Bool

  /// - Parameter knowsOwner: Whether the key of a single owner may be omitted.
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

  /// The properties of the destination in the rows.
  package var mask: UInt64 {
    guard omitsOwner, let inverse = relationship.inverse else { return PropertyMask.all }
    return ~PropertyMask.bit(inverse.position)
  }

  /// The columns of the owner's key, nil if omitted, and of the position.
  package var columns: (owner: Int32?, position: Int32) {
    guard destination.inheritance == nil else {
      let last = EntityColumns.all(of: FetchRequest(entity: destination)).nameColumn
      return (last + 1, last + 2)
    }
    let end = destination.firstColumns[destination.properties.count]
    if omitsOwner { return (nil, end - 1) }
    guard hasOwnerAmongColumns, let inverse = relationship.inverse else { return (end, end + 1) }
    return (destination.firstColumns[inverse.position], end)
  }

  /// Whether the destination's own columns include the owner's key, so that it is not read twice.
  package var hasOwnerAmongColumns: Bool { Self.hasOwnerAmongColumns(relationship, destination) }

  private static func hasOwnerAmongColumns(_ relationship: RelationshipLayout, _ destination: EntityLayout) -> Bool {
    relationship.storage == .inverseColumn && destination.inheritance == nil
  }
}

/// A pair of related models, by their keys.
package struct RelatedPair: Sendable, Hashable {
  package let owner: Int64
  package let target: Int64

  package init(owner: Int64, target: Int64) {
    self.owner = owner
    self.target = target
  }
}

/// The order of one owner's pairs in a pair table.
package struct PairOrder: Sendable {
  package let owner: Int64
  /// The keys of all targets, in their order.
  package let targets: [Int64]

  package init(owner: Int64, targets: [Int64]) {
    self.owner = owner
    self.targets = targets
  }
}
