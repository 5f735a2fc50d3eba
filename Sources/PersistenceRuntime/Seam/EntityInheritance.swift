/// The place of an entity in its hierarchy: what it inherits, and what inherits from it.
///
/// A layout keeps its subentities alive, never its superentity.
package struct EntityInheritance: Sendable {
  /// The entity at the root of the hierarchy, which names the table of all of them.
  package let rootName: String
  package let rootType: any PersistentModel.Type
  /// The entities that this one inherits from, the nearest first; none for the root.
  package let superentityNames: [String]
  /// The positions at which the properties of each class begin, from the root to this one.
  package let firstPositions: [Int]
  /// Every entity that inherits from this one, those that inherit from each behind it.
  package let subentities: [EntityLayout]
  /// The bits of the constants of all subentities.
  let subentityConstants: UInt64
  /// Where the columns of each class begin in a row that has all columns of this entity.
  let ownLevels: [ColumnLevel]

  package var isRoot: Bool { superentityNames.isEmpty }

  /// The position of the first property that the entity adds to what it inherits.
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

/// Where in a row the columns of one class begin.
package struct ColumnLevel: Sendable, Hashable {
  /// The position of the first property of the class.
  let position: Int
  package let column: Int32

  init(position: Int, column: Int32) {
    self.position = position
    self.column = column
  }

  /// The level of a class in a row that has the columns of all properties in a mask behind each other.
  init(position: Int, in properties: [PropertyLayout], mask: UInt64) {
    self.position = position
    let columns = properties[..<position].reduce(0) { $1.bit & mask == 0 ? $0 : $0 + $1.columns.count }
    self.column = Int32(1 + columns)
  }
}

extension EntityLayout {
  /// The entities whose rows a request on this one covers: itself, and then all that inherit from it.
  package var family: [EntityLayout] { [self] + (inheritance?.subentities ?? []) }

  /// The properties to read of an entity of the family, when some are wanted of this one: all properties mean all of
  /// a subentity's too, a choice means nothing but itself and the constants that objects have to be made with.
  package func mask(of member: EntityLayout, wanted mask: UInt64) -> UInt64 {
    guard mask & storedMask != storedMask else { return member.storedMask }
    return (mask & storedMask | (inheritance?.subentityConstants ?? 0)) & member.storedMask
  }

  /// Where the columns of each class begin in rows of this entity that have the properties of a mask.
  package func levels(wanted mask: UInt64) -> [ColumnLevel]? {
    guard let inheritance, mask & storedMask != storedMask else { return inheritance?.ownLevels }
    let selected = self.mask(of: self, wanted: mask)
    return inheritance.firstPositions.map { ColumnLevel(position: $0, in: properties, mask: selected) }
  }

  /// The entities whose rows are in the same table as those of this one, as far as either inherits from the other.
  package func isRelative(named name: String) -> Bool {
    guard let inheritance else { return false }
    return inheritance.superentityNames.contains(name) || inheritance.subentities.contains { $0.name == name }
  }

  /// Whether the row of an object has to be read before the object can be made: it needs values for its constants, or
  /// what class it is of.
  package var isMadeOfItsRow: Bool { hasConstants || isPolymorphic }

  /// Whether objects of the entity, or of one that inherits from it, have relationships that are read in groups.
  package var loadsInGroupsInFamily: Bool {
    loadsInGroups || (inheritance?.subentities.contains(where: \.loadsInGroups) ?? false)
  }

  /// Whether objects of the entity, or of one that inherits from it, may hold other objects.
  package var hasRelationshipsInFamily: Bool {
    hasRelationships || inheritance?.subentities.contains(where: \.hasRelationships) == true
  }

  /// Whether objects of the family may refer to others by relationships that nothing leads back from.
  package var refersOneWayInFamily: Bool {
    refersOneWay || inheritance?.subentities.contains(where: \.refersOneWay) == true
  }

  private var refersOneWay: Bool { relationships.contains { $0.inverse == nil } }

  /// Whether an object of the entity may be of a subclass, so that its row has to be read before it can be made.
  package var isPolymorphic: Bool { inheritance?.subentities.isEmpty == false }
}
