/// The position of an entity in its hierarchy.
///
/// A layout retains its subentities, never its superentity.
package struct EntityInheritance: Sendable {
  /// The root entity, which names the table of the hierarchy.
  package let rootName: String
  package let rootType: any PersistentModel.Type
  /// The superentities, nearest first; empty for the root.
  package let superentityNames: [String]
  /// The first property position of each class, from the root to this entity.
  package let firstPositions: [Int]
  /// All subentities in preorder.
  package let subentities: [EntityLayout]
  /// The mask of the constants of all subentities.
  let subentityConstants: UInt64
  /// The first column of each class in a row with all columns of this entity.
  let ownLevels: [ColumnLevel]

  package var isRoot: Bool { superentityNames.isEmpty }

  /// The position of the entity's first own property.
  package var firstPosition: Int { firstPositions.last ?? 0 }

  package init(
    rootName: String, rootType: any PersistentModel.Type, superentityNames: [String], firstPositions: [Int],
    subentities: [EntityLayout], properties: [PropertyLayout]
  ) {
    self.rootName = rootName
    self.rootType = rootType
    self.superentityNames = superentityNames
    self.firstPositions = firstPositions
    self.subentities = subentities
    self.subentityConstants = subentities.reduce(0) { $0 | $1.constantMask }
    self.ownLevels = firstPositions.map { ColumnLevel(position: $0, in: properties, mask: PropertyMask.all) }
  }
}

/// The first column of one class in a row.
package struct ColumnLevel: Sendable, Hashable {
  /// The position of the class's first property.
  let position: Int
  package let column: Int32

  init(position: Int, column: Int32) {
    self.position = position
    self.column = column
  }

  /// The level of a class in a row with the columns of the properties in a mask.
  init(position: Int, in properties: [PropertyLayout], mask: UInt64) {
    self.position = position
    let columns = properties[..<position].reduce(0) { $1.bit & mask == 0 ? $0 : $0 + $1.columns.count }
    self.column = Int32(1 + columns)
  }
}

extension EntityLayout {
  /// The entity and its subentities, whose rows a request covers.
  package var family: [EntityLayout] { [self] + (inheritance?.subentities ?? []) }

  /// The properties to read of a family's entity: all properties include those of subentities; a selection includes
  /// itself and the subentities' own constants, which their objects are created with.
  package func mask(of member: EntityLayout, wanted mask: UInt64) -> UInt64 {
    guard mask & storedMask != storedMask else { return member.storedMask }
    let own = mask & storedMask
    // The columns of this entity are those of the selection, and no others.
    guard member !== self else { return own }
    let inherited = storedMask & ~PropertyMask.bit(PropertyMask.sharedPosition)
    return (own | (inheritance?.subentityConstants ?? 0) & ~inherited) & member.storedMask
  }

  /// The first column of each class in rows with the properties of a mask.
  package func levels(wanted mask: UInt64) -> [ColumnLevel]? {
    guard let inheritance, mask & storedMask != storedMask else { return inheritance?.ownLevels }
    let selected = self.mask(of: self, wanted: mask)
    return inheritance.firstPositions.map { ColumnLevel(position: $0, in: properties, mask: selected) }
  }

  /// Whether an entity is a super- or subentity of this one.
  package func isRelative(named name: String) -> Bool {
    guard let inheritance else { return false }
    return inheritance.superentityNames.contains(name) || inheritance.subentities.contains { $0.name == name }
  }

  /// Whether an object's row must be read before the object can be created, for its constants or its class.
  package var isMadeOfItsRow: Bool { hasConstants || isPolymorphic }

  /// Whether the entity or a subentity has relationships that are loaded in batches.
  package var loadsInGroupsInFamily: Bool {
    loadsInGroups || (inheritance?.subentities.contains(where: \.loadsInGroups) ?? false)
  }

  /// Whether the entity or a subentity has relationships.
  package var hasRelationshipsInFamily: Bool {
    hasRelationships || inheritance?.subentities.contains(where: \.hasRelationships) == true
  }

  /// Whether the entity or a subentity has relationships without an inverse.
  package var refersOneWayInFamily: Bool {
    refersOneWay || inheritance?.subentities.contains(where: \.refersOneWay) == true
  }

  private var refersOneWay: Bool { relationships.contains { $0.inverse == nil } }

  /// Whether an object of the entity may be of a subclass, so that its row must be read before it can be created.
  package var isPolymorphic: Bool { inheritance?.subentities.isEmpty == false }
}
