import Foundation
import PersistenceSupport

/// The runtime description of an entity, computed once from the schema.
///
/// Programs describe entities by a schema. The code that reads and writes rows uses layouts, which list the properties
/// in declaration order with their columns.
@usableFromInline
package final class EntityLayout: Sendable {
  package let name: String
  /// The name in identifiers that were created before the entity was renamed; equal to ``name`` if it was not renamed.
  package let originalName: String
  package let modelType: any PersistentModel.Type
  package let properties: [PropertyLayout]
  /// For each uniqueness rule, the positions of the properties that are unique together.
  package let uniquenessConstraints: [[Int]]
  /// For each index, the positions of its properties.
  package let indices: [[Int]]
  /// The mask (``PropertyMask``) of the properties that have columns.
  @usableFromInline package let storedMask: UInt64
  /// Each property's first column in a row with all columns; at the end, the column count. Column 0 is the primary key.
  let firstColumns: [Int32]
  package let hasRelationships: Bool
  /// Whether the first read of a relationship may load it for all objects of the same fetch, in one statement.
  package let loadsInGroups: Bool
  /// Whether there are to-many relationships.
  package let holdsLists: Bool
  /// The relationships, in the order of their declaration.
  package let relationships: [RelationshipLayout]
  private let relationshipsByPosition: [RelationshipLayout?]
  /// The mask of relationships without columns. Never contains bit 63, which several properties may share.
  package let columnlessMask: UInt64
  /// The mask of relationships with a junction table. Bit 63 does not say which of its properties has one.
  package let pairsMask: UInt64
  /// The mask of to-one relationships with a cascading inverse: deleting the destination row deletes this entity's row.
  package let cascadingMask: UInt64
  /// The mask of properties whose columns the database sorts in the same order as Swift's `<` sorts the values.
  private let orderedMask: UInt64
  /// The mask of properties that are in a uniqueness rule.
  package let uniqueMask: UInt64
  /// The names of the destination entities of relationships that are in a uniqueness rule.
  package let identifyingDestinations: [String]
  /// Whether the entity has any uniqueness rule.
  package let hasUniqueness: Bool
  /// The mask of to-one relationships whose destination may be missing, since the inverse's delete rule is `noAction`.
  let danglingMask: UInt64
  /// The mask of properties whose type has an actor-isolated conformance to `RawRepresentable`.
  private let actorBoundMask: UInt64
  /// Whether an object can only be created from its row, because a property is a `let` or the model is hand-written.
  package let hasConstants: Bool
  /// How the values of encrypted and external properties are stored, by position; empty if there are none.
  package let outOfRowValues: [OutOfRowValue?]
  /// The mask of `let` properties, whose values are set when an object is created.
  package let constantMask: UInt64
  // Immutable. Marked as unsafe only because the type `AnyKeyPath` is not Sendable.
  package nonisolated(unsafe) let positions: [AnyKeyPath: Int]
  nonisolated(unsafe) private let members: [AnyKeyPath: KeyPathMeaning]
  /// The indexes and uniqueness rules that involve members of composites.
  package let memberRules: [MemberRule]
  /// For each spatial index, the columns of its dimensions.
  package let spatialIndices: [[MemberRule.Columns]]
  /// The number of bytes of temporary memory that reading a composite property requires.
  let scratchSize: Int
  // Immutable. Marked as unsafe only because pointers are not Sendable.
  nonisolated(unsafe) let composites: CompositeTable
  /// The query compiler's cache for the entity. Its type is declared in another module.
  package let queryMemoryBox = LazyBox()
  /// The superentities and subentities; nil if there are none.
  package let inheritance: EntityInheritance?
  /// Whether the model is an actor, which runs in the isolation of its context.
  package let runsInContext: Bool
  /// Whether the models or related models are actors. An actor's inverse property can be updated only on that actor.
  package let meetsActors: Bool

  /// - Parameters:
  ///   - aliases: Maps the superclasses' key paths of inherited properties to the positions of these properties.
  ///   - refersToFamilies: Whether a to-one relationship refers to an entity with subentities.
  package init(
    name: String, modelType: any PersistentModel.Type, properties: [PropertyLayout],
    uniquenessConstraints: [[Int]], indices: [[Int]], memberRules: [MemberRule] = [],
    spatialIndices: [[MemberRule.Columns]] = [], inheritance: EntityInheritance? = nil,
    aliases: [AnyKeyPath: Int] = [:], refersToFamilies: Bool = false, originalName: String? = nil
  ) {
    self.name = name
    self.originalName = originalName ?? name
    self.modelType = modelType
    self.properties = properties
    self.uniquenessConstraints = uniquenessConstraints
    self.indices = indices
    self.memberRules = memberRules
    self.spatialIndices = spatialIndices
    self.composites = CompositeTable(properties)
    self.scratchSize = properties.reduce(0) { max($0, $1.composite?.scratchSize ?? 0) }
    self.firstColumns = properties.reduce(into: [1]) { $0.append(($0.last ?? 1) + Int32($1.columns.count)) }
    self.storedMask = properties.reduce(0) { $1.columns.isEmpty ? $0 : $0 | $1.bit }
    let columnless = properties.filter { $0.isRelationship && $0.columns.isEmpty }
    self.columnlessMask = columnless.reduce(0) { $1.position < PropertyMask.sharedPosition ? $0 | $1.bit : $0 }
    self.pairsMask = properties.reduce(0) {
      if case .links = $1.relationship?.storage { $0 | $1.bit } else { $0 }
    }
    self.relationships = properties.compactMap(\.relationship)
    let cascading = properties.filter { $0.relationship?.inverseDeleteRule == .cascade && !$0.columns.isEmpty }
    self.cascadingMask = cascading.reduce(0) { $0 | $1.bit }
    self.orderedMask = properties.reduce(0) { $1.isOrderedAsStored ? $0 | $1.bit : $0 }
    let unique = Self.uniquePositions(properties, uniquenessConstraints, memberRules)
    self.uniqueMask = unique.reduce(0) { $0 | properties[$1].bit }
    self.identifyingDestinations = Set(unique.compactMap { properties[$0].relationship?.destination }).sorted()
    self.hasUniqueness = !unique.isEmpty
    let dangling = properties.filter { $0.relationship?.inverseDeleteRule == .noAction && !$0.columns.isEmpty }
    self.danglingMask = dangling.reduce(0) { $0 | $1.bit }
    self.actorBoundMask = properties.reduce(0) { $1.isActorBound ? $0 | $1.bit : $0 }
    self.relationshipsByPosition = properties.map(\.relationship)
    self.loadsInGroups = !columnless.isEmpty || refersToFamilies
    self.holdsLists = properties.contains { $0.relationship?.isToMany == true }
    self.hasRelationships = properties.contains { $0.isRelationship }
    let constantMask = properties.reduce(0) { $1.isWritable(in: modelType) ? $0 : $0 | $1.bit }
    self.constantMask = constantMask
    self.hasConstants = constantMask != 0 || !modelType._$isGenerated
    self.outOfRowValues = properties.contains { $0.outOfRowValue != nil } ? properties.map(\.outOfRowValue) : []
    self.inheritance = inheritance
    self.runsInContext = modelType._$runsInContext
    self.meetsActors = runsInContext || relationships.contains { $0.destinationType._$runsInContext }
    let positions = Dictionary(
      properties.map { ($0.keyPath, $0.position) }, uniquingKeysWith: { first, _ in first })
    self.positions = positions.merging(aliases) { own, _ in own }
    self.members = self.positions.reduce(into: [:]) { properties[$1.value].addMembers(to: &$0, from: $1.key) }
  }

  deinit { composites.deallocate() }

  /// Whether the database sorts the property's column in the same order as Swift's `<` sorts the values.
  package func isOrderedAsStored(at position: Int) -> Bool {
    position < PropertyMask.sharedPosition && orderedMask & PropertyMask.bit(position) != 0
  }

  /// Whether the type has an actor-isolated `RawRepresentable` conformance, which overload resolution does not see.
  func isActorBound(at position: Int) -> Bool { actorBoundMask & PropertyMask.bit(position) != 0 }

  /// The relationship at a position; nil for an attribute.
  package func relationship(at position: Int) -> RelationshipLayout? {
    position < relationshipsByPosition.count ? relationshipsByPosition[position] : nil
  }

  /// The property at a key path of the model; nil if it is not stored.
  package func property(at keyPath: AnyKeyPath) -> PropertyLayout? { positions[keyPath].map { properties[$0] } }

  /// The meaning of a key path into a composite property.
  package func memberMeaning(of keyPath: AnyKeyPath) -> KeyPathMeaning? { members[keyPath] }

  package func compositeLayout(at position: Int) -> CompositeLayout? { composites[position]?.takeUnretainedValue() }

  package func property(named name: String) -> PropertyLayout? { properties.first { $0.name == name } }
}

/// The runtime description of one property.
package struct PropertyLayout: @unchecked Sendable {
  // Unchecked, because the types of key paths, metatypes and default values are not Sendable. The key paths are
  // literals without captures. An object in a default is never shared: `Placeholder` evaluates the default again.
  package let name: String
  package let position: Int
  package let keyPath: AnyKeyPath
  package let valueType: any Any.Type
  package let isOptional: Bool
  package let isUnique: Bool
  package let defaultValue: Any?
  package let kind: PropertyKind
  package let attribute: Schema.Attribute?
  package let relationship: RelationshipLayout?
  /// The columns: one for a value or a to-one relationship, none for a to-many relationship, several for a composite.
  package let columns: [ColumnLayout]
  /// How the value is encrypted or stored in a file; nil if the column contains the plain value.
  package let outOfRowValue: OutOfRowValue?
  /// The members of a composite property; nil for other properties.
  package let composite: CompositeLayout?

  package init(
    name: String, position: Int, keyPath: AnyKeyPath, valueType: any Any.Type, isOptional: Bool, isUnique: Bool,
    defaultValue: Any?, kind: PropertyKind, columns: [ColumnLayout], attribute: Schema.Attribute? = nil,
    relationship: RelationshipLayout? = nil, outOfRowValue: OutOfRowValue? = nil, composite: CompositeLayout? = nil
  ) {
    self.name = name
    self.position = position
    self.keyPath = keyPath
    self.valueType = valueType
    self.isOptional = isOptional
    self.isUnique = isUnique
    self.defaultValue = defaultValue
    self.kind = kind
    self.columns = columns
    self.attribute = attribute
    self.relationship = relationship
    self.outOfRowValue = outOfRowValue
    self.composite = composite
  }

  package func isWritable<T: PersistentModel>(in type: T.Type) -> Bool {
    func isWritable<Value>(_ type: Value.Type) -> Bool { keyPath is ReferenceWritableKeyPath<T, Value> }
    return _openExistential(Swift.type(of: keyPath).valueType, do: isWritable)
  }

  fileprivate var isOrderedAsStored: Bool {
    position < PropertyMask.sharedPosition && StorageOrder.isOrdered(type(of: keyPath).valueType)
  }

  package var isRelationship: Bool {
    switch kind {
    case .toOne, .toMany: true
    case .attribute, .transformable: false
    }
  }

  /// The property's bit in a ``PropertyMask``.
  package var bit: UInt64 { PropertyMask.bit(position) }
}

/// The kind of a property.
package enum PropertyKind: Sendable, Hashable {
  case attribute
  /// A value that a value transformer converts to data.
  case transformable
  case toOne(destination: String)
  case toMany(destination: String)
}

/// One column of an entity's table.
package struct ColumnLayout: Sendable, Hashable {
  package let name: String
  package let format: ColumnFormat
  package let isOptional: Bool
  /// The name of the property; for a member of a composite, followed by the names of the enclosing members and its own.
  package let path: [String]
  /// Whether the column's integers may exceed `Int64.max`. Larger integers are stored as 8 bytes.
  package let isUnsigned: Bool

  package init(
    name: String, format: ColumnFormat, isOptional: Bool, path: [String]? = nil, isUnsigned: Bool = false
  ) {
    self.name = name
    self.format = format
    self.isOptional = isOptional
    self.path = path ?? [name]
    self.isUnsigned = isUnsigned
  }
}

extension _PersistenceRuntime {
  /// Represents a set of properties as a bit mask.
  ///
  /// Properties from the 64th on share the last bit: they are read and written together, which takes slightly longer.
  @frozen
  public enum PropertyMask {
    public static let all: UInt64 = .max
    /// The first position of the properties that share a bit.
    @inlinable package static var sharedPosition: Int { 63 }

    @inlinable
    public static func bit(_ position: Int) -> UInt64 {
      1 << UInt64(truncatingIfNeeded: min(position, sharedPosition))
    }
  }
}

/// The runtime description of a relationship (decision 11).
package final class RelationshipLayout: Sendable {
  /// The inverse relationship.
  package struct Inverse: Sendable, Hashable {
    package let name: String
    /// The position of the inverse in the destination entity.
    package let position: Int
    package let isToMany: Bool
    package let isOptional: Bool

    package init(name: String, position: Int, isToMany: Bool, isOptional: Bool) {
      self.name = name
      self.position = position
      self.isToMany = isToMany
      self.isOptional = isOptional
    }
  }

  /// Where a relationship is stored.
  package enum Storage: Sendable, Hashable {
    /// A foreign key column in the entity's own table.
    case column
    /// The foreign key column of the inverse relationship, in the destination's table.
    case inverseColumn
    /// A junction table. Two inverse relationships share it; for one of them, `isReversed` swaps owner and target.
    case links(isReversed: Bool)
  }

  package let entity: String
  package let name: String
  package let position: Int
  package let destination: String
  package let destinationType: any PersistentModel.Type
  package let isToMany: Bool
  package let isOptional: Bool
  package let inverse: Inverse?
  package let storage: Storage
  package let deleteRule: Schema.Relationship.DeleteRule
  /// The delete rule of the inverse; nil if there is no inverse.
  package let inverseDeleteRule: Schema.Relationship.DeleteRule?
  package let minimumCount: Int
  /// The maximum number of related models; 0 for no limit.
  package let maximumCount: Int
  /// Whether the relationship is to-many and the store keeps its order.
  package let isOrdered: Bool

  package init(
    _ relationship: Schema.Relationship, to destinationType: any PersistentModel.Type, position: Int, of entity: String,
    inverse: Inverse?, inverseDeleteRule: Schema.Relationship.DeleteRule?
  ) {
    let type = PropertyType(relationship.valueType)
    self.destinationType = destinationType
    self.entity = entity
    self.name = relationship.name
    self.position = position
    self.destination = relationship.destination
    self.isToMany = type.isToMany
    self.isOptional = type.isOptional
    self.inverse = inverse
    self.deleteRule = relationship.deleteRule
    self.inverseDeleteRule = inverseDeleteRule
    self.minimumCount = relationship.minimumModelCount ?? 0
    self.maximumCount = relationship.maximumModelCount ?? 0
    self.isOrdered = type.isToMany && !relationship.options.contains(.unordered)
    self.storage = Self.storage(
      from: (entity, relationship.name, type.isToMany, type.isOptional), to: relationship.destination, inverse)
  }

  /// Whether the relationship is its own inverse, such as friends of a person.
  package var isSymmetric: Bool { inverse?.name == name && destination == entity }

  /// Whether the relationship must not be nil.
  package var isRequired: Bool { !isToMany && !isOptional }

  package var path: String { "\(entity).\(name)" }

  private typealias End = (entity: String, name: String, isToMany: Bool, isOptional: Bool)

  /// Of two to-one relationships that are inverses, only one has a column: the required one, or else the first one by
  /// entity and name. Of two inverse to-many relationships, `isReversed` is false for the first by entity and name.
  private static func storage(from end: End, to destination: String, _ inverse: Inverse?) -> Storage {
    guard let inverse else { return end.isToMany ? .links(isReversed: false) : .column }
    if inverse.name == end.name, destination == end.entity { return end.isToMany ? .links(isReversed: false) : .column }
    let isFirst = (end.entity, end.name) < (destination, inverse.name)
    switch (end.isToMany, inverse.isToMany) {
    case (true, true): return .links(isReversed: !isFirst)
    case (true, false): return .inverseColumn
    case (false, true): return .column
    case (false, false):
      if end.isOptional != inverse.isOptional { return end.isOptional ? .inverseColumn : .column }
      return isFirst ? .column : .inverseColumn
    }
  }
}

/// The superentities and subentities of an entity.
///
/// Retains the layouts of the subentities. Contains only the names of the superentities, so there is no retain cycle.
package struct EntityInheritance: Sendable {
  /// The name of the root entity, which is also the name of the hierarchy's table.
  package let rootName: String
  package let rootType: any PersistentModel.Type
  /// The superentities, nearest first; empty for the root.
  package let superentityNames: [String]
  /// For each class from the root down to this entity, the position of the first property that the class declares.
  package let firstPositions: [Int]
  /// All subentities. Each one precedes its own subentities.
  package let subentities: [EntityLayout]
  /// The mask of the `let` properties of all subentities.
  let subentityConstants: UInt64
  /// For each class, its first column in a row with all columns of this entity.
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

/// Where the columns of one class of a hierarchy start in a row.
package struct ColumnLevel: Sendable, Hashable {
  /// The position of the class's first property.
  let position: Int
  package let column: Int32

  init(position: Int, column: Int32) {
    self.position = position
    self.column = column
  }

  /// The first column of a class in a row that contains only the columns of the properties in a mask.
  init(position: Int, in properties: [PropertyLayout], mask: UInt64) {
    self.position = position
    let columns = properties[..<position].reduce(0) { $1.bit & mask == 0 ? $0 : $0 + $1.columns.count }
    self.column = Int32(1 + columns)
  }
}

extension EntityLayout {
  /// The entity and all its subentities. A fetch of the entity may return rows of any of them.
  package var family: [EntityLayout] { [self] + (inheritance?.subentities ?? []) }

  /// The model types of ``family``.
  package var familyTypes: [ObjectIdentifier] { family.map { ObjectIdentifier($0.modelType) } }

  /// Relationships with one of these destinations may refer to rows of the entity or its subentities.
  package var destinationNames: Set<String> { Set((inheritance?.superentityNames ?? []) + family.map(\.name)) }

  /// The properties that a fetch reads from rows of `member`, which is this entity or a subentity. If `mask` has all
  /// properties, the fetch reads all of `member`; otherwise those in `mask`, and the `let` properties of subentities.
  package func mask(of member: EntityLayout, wanted mask: UInt64) -> UInt64 {
    guard mask & storedMask != storedMask else { return member.storedMask }
    let own = mask & storedMask
    // From rows of this entity, only the properties in the mask are read.
    guard member !== self else { return own }
    let inherited = storedMask & ~PropertyMask.bit(PropertyMask.sharedPosition)
    return (own | (inheritance?.subentityConstants ?? 0) & ~inherited) & member.storedMask
  }

  /// For each class, its first column in rows that contain the properties of a mask; nil without inheritance.
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

  /// Whether an object can only be created from a row that was read: the row contains its class or `let` properties.
  package var isMadeOfItsRow: Bool { hasConstants || isPolymorphic }

  /// Whether ``loadsInGroups`` is true for the entity or one of its subentities.
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
