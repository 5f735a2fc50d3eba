import Foundation
import PersistenceSupport

/// The runtime description of an entity, computed once from the schema.
///
/// The schema describes entities to users. A layout describes them to the code that reads and writes rows: properties
/// in declaration order with their columns.
@usableFromInline
package final class EntityLayout: Sendable {
  package let name: String
  /// The name in identifiers created before the entity was renamed; equal to ``name`` unless it was renamed.
  package let originalName: String
  package let modelType: any PersistentModel.Type
  package let properties: [PropertyLayout]
  /// The positions of properties that are unique together.
  package let uniquenessConstraints: [[Int]]
  /// The positions of properties that are indexed together.
  package let indices: [[Int]]
  /// The mask of properties with columns.
  @usableFromInline package let storedMask: UInt64
  /// The first column of each property in a row with all columns, then the end. Column 0 is the primary key.
  let firstColumns: [Int32]
  package let hasRelationships: Bool
  /// Whether relationships are loaded for all objects of a fetch at once.
  package let loadsInGroups: Bool
  /// Whether there are to-many relationships.
  package let holdsLists: Bool
  /// The relationships, in order.
  package let relationships: [RelationshipLayout]
  private let relationshipsByPosition: [RelationshipLayout?]
  /// The mask of relationships without columns. It excludes the bit that several properties share.
  package let columnlessMask: UInt64
  /// The mask of to-one relationships for which the database deletes this entity's rows together with the destination.
  package let cascadingMask: UInt64
  /// The mask of properties whose columns have the same order as `<` of their values.
  private let orderedMask: UInt64
  /// The mask of properties that take part in uniqueness.
  package let uniqueMask: UInt64
  /// The destinations of relationships that take part in uniqueness.
  package let identifyingDestinations: [String]
  /// Whether the entity has any uniqueness rule.
  package let hasUniqueness: Bool
  /// The mask of to-one relationships whose destination may be missing, because their delete rule is `noAction`.
  let danglingMask: UInt64
  /// The mask of properties with isolated raw values.
  private let actorBoundMask: UInt64
  /// Whether a property is a `let`, so that an object cannot be created before its row is read.
  package let hasConstants: Bool
  /// How out-of-row values are stored, by position; empty if there are no such values.
  package let outOfRowValues: [OutOfRowValue?]
  /// The mask of `let` properties, whose values are set when an object is created.
  package let constantMask: UInt64
  // Immutable; unsafe only because key paths are not Sendable as types.
  package nonisolated(unsafe) let positions: [AnyKeyPath: Int]
  nonisolated(unsafe) private let members: [AnyKeyPath: KeyPathMeaning]
  /// The indexes and uniqueness rules that involve members of composites.
  package let memberRules: [MemberRule]
  /// The spatial indexes, with the columns of each dimension.
  package let spatialIndices: [[MemberRule.Columns]]
  /// The bytes of scratch memory for reading composites.
  let scratchSize: Int
  // Immutable; unsafe only because pointers are not Sendable.
  nonisolated(unsafe) let composites: CompositeTable
  /// A cache of the query compiler. This module does not know its type.
  package let queryMemoryBox = LazyBox()
  /// The position in a hierarchy; nil without inheritance.
  package let inheritance: EntityInheritance?
  /// Whether the models are actors in the isolation of their context.
  package let runsInContext: Bool
  /// Whether the models or their destinations are actors. A model cannot always update the inverse in an actor.
  package let meetsActors: Bool

  /// - Parameters:
  ///   - aliases: The positions of inherited properties by the superclasses' key paths.
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

  /// Whether the property's column has the same order as `<` of its values.
  package func isOrderedAsStored(at position: Int) -> Bool {
    position < PropertyMask.sharedPosition && orderedMask & PropertyMask.bit(position) != 0
  }

  /// Whether a property has isolated raw values, which overloads cannot distinguish.
  func isActorBound(at position: Int) -> Bool { actorBoundMask & PropertyMask.bit(position) != 0 }

  /// The relationship at a position; nil if the property is not a relationship.
  package func relationship(at position: Int) -> RelationshipLayout? {
    position < relationshipsByPosition.count ? relationshipsByPosition[position] : nil
  }

  /// The property at a key path of the model; nil if it is not stored.
  package func property(at keyPath: AnyKeyPath) -> PropertyLayout? { positions[keyPath].map { properties[$0] } }

  /// The meaning of a key path into a composite property.
  package func memberMeaning(of keyPath: AnyKeyPath) -> KeyPathMeaning? { members[keyPath] }

  /// The layout of a composite property.
  package func compositeLayout(at position: Int) -> CompositeLayout? { composites[position]?.takeUnretainedValue() }

  package func property(named name: String) -> PropertyLayout? { properties.first { $0.name == name } }
}

/// The runtime description of one property.
package struct PropertyLayout: @unchecked Sendable {
  // Unchecked: key paths, metatypes and default values are not Sendable as types. The key paths are literals without
  // captures. A default may contain an object, which is never shared: `Placeholder` evaluates the default again.
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
  /// How the out-of-row value is stored; nil if the column holds the plain value.
  package let outOfRowValue: OutOfRowValue?
  /// The layout of a composite.
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
  /// A value that a value transformer converts to bytes.
  case transformable
  case toOne(destination: String)
  case toMany(destination: String)
}

/// One column of an entity's table.
package struct ColumnLayout: Sendable, Hashable {
  package let name: String
  package let format: ColumnFormat
  package let isOptional: Bool
  /// The path to the column: the names of the property and of the members.
  package let path: [String]
  /// Whether integers may exceed `Int64.max`; larger ones are stored as bytes.
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
  /// Sets of properties as bit masks.
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
    /// The position in the destination entity.
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

  /// The storage of a relationship.
  package enum Storage: Sendable, Hashable {
    /// A foreign key column in the entity's own table.
    case column
    /// The column of the inverse relationship.
    case inverseColumn
    /// A table with a row for every pair. Inverse relationships share a table; one of the two swaps its columns.
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
  /// The maximum count; 0 for no limit.
  package let maximumCount: Int
  /// Whether a to-many relationship keeps its order.
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

  /// Whether nil violates the schema.
  package var isRequired: Bool { !isToMany && !isOptional }

  package var path: String { "\(entity).\(name)" }

  private typealias End = (entity: String, name: String, isToMany: Bool, isOptional: Bool)

  /// Of two inverse to-one relationships, one has the column: the required one, else the first one by name. Of two
  /// to-many relationships, the first one by name owns the table.
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

/// The position of an entity in its hierarchy.
///
/// A layout retains its subentities, never its superentity.
package struct EntityInheritance: Sendable {
  /// The root entity, which names the table of the hierarchy.
  package let rootName: String
  package let rootType: any PersistentModel.Type
  /// The superentities, nearest first; empty for the root.
  package let superentityNames: [String]
  /// The first property position of each class from the root down to this entity.
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

  /// The classes of the family.
  package var familyTypes: [ObjectIdentifier] { family.map { ObjectIdentifier($0.modelType) } }

  /// The destination names of the relationships that may refer to rows of the entity or its subentities.
  package var destinationNames: Set<String> { Set((inheritance?.superentityNames ?? []) + family.map(\.name)) }

  /// The properties to read of an entity of the family. If all properties are wanted, these are all properties of
  /// `member`. A selection adds only the subentities' own constants, which are set when an object is created.
  package func mask(of member: EntityLayout, wanted mask: UInt64) -> UInt64 {
    guard mask & storedMask != storedMask else { return member.storedMask }
    let own = mask & storedMask
    // For this entity, only the columns of the selection are read.
    guard member !== self else { return own }
    let inherited = storedMask & ~PropertyMask.bit(PropertyMask.sharedPosition)
    return (own | (inheritance?.subentityConstants ?? 0) & ~inherited) & member.storedMask
  }

  /// The first column of each class in rows that contain the properties of a mask.
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

  /// Whether an object's row must be read before the object can be created, to know its constants or its class.
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
