import Foundation
import PersistenceSupport

/// What the machinery needs to know about an entity, worked out once from the schema.
///
/// The schema describes entities to users; a layout describes them to the loops that read and write rows: properties in
/// order of declaration, each with the columns that hold it.
@usableFromInline
package final class EntityLayout: Sendable {
  package let name: String
  /// The name that identifiers from before a renaming have; the same as ``name`` without one.
  package let originalName: String
  package let modelType: any PersistentModel.Type
  package let properties: [PropertyLayout]
  /// Sets of property positions whose values together are unique.
  package let uniquenessConstraints: [[Int]]
  /// Sets of property positions that are looked up together.
  package let indices: [[Int]]
  /// The bits of all properties that have columns, in the order of ``properties``.
  @usableFromInline package let storedMask: UInt64
  /// Where the columns of each property begin in a row that has all, and where they end; the primary key is column 0.
  let firstColumns: [Int32]
  package let hasRelationships: Bool
  /// Whether there are relationships that are read for all objects of a fetch at once.
  package let loadsInGroups: Bool
  /// Whether there are to-many relationships.
  package let holdsLists: Bool
  /// The relationships, in order.
  package let relationships: [RelationshipLayout]
  private let relationshipsByPosition: [RelationshipLayout?]
  /// The bits that stand for relationships alone that have no columns.
  package let columnlessMask: UInt64
  /// The bits of to-one relationships whose rows the database deletes with what they lead to.
  package let cascadingMask: UInt64
  /// The bits of properties whose columns order rows as their values order themselves.
  private let orderedMask: UInt64
  /// The bits of the properties by which rows are told apart.
  package let uniqueMask: UInt64
  /// The entities whose rows are among what rows are told apart by.
  package let identifyingDestinations: [String]
  /// Whether two rows may not be alike in some way.
  package let hasUniqueness: Bool
  /// The bits of to-one relationships whose rows may be gone, because nobody takes references to them back.
  let danglingMask: UInt64
  /// The bits of the properties whose raw values belong to an actor.
  private let actorBoundMask: UInt64
  /// Whether a property is a `let`, so that an object cannot be made before its row is read.
  package let hasConstants: Bool
  /// What the columns of properties hold in the place of their values, by position; empty when all hold the values.
  package let envelopes: [Envelope?]
  /// The bits of the properties that are `let`s, whose values an object has to be made with.
  package let constantMask: UInt64
  // Never changed; unchecked only because key paths are not Sendable as a type.
  package nonisolated(unsafe) let positions: [AnyKeyPath: Int]
  nonisolated(unsafe) private let members: [AnyKeyPath: KeyPathMeaning]
  /// The indexes and uniqueness rules in which members of composite properties take part.
  package let memberRules: [MemberRule]
  /// What is indexed as points of a space, the columns of each dimension.
  package let spatialIndices: [[MemberRule.Columns]]
  /// How much memory reading a composite property of the entity needs.
  let scratchSize: Int
  // Filled once; unchecked only because pointers are not Sendable as a type.
  nonisolated(unsafe) let composites: CompositeTable
  /// What queries have found out about the entity before, in an object of a type that only they know.
  package let queryMemoryBox = LazyBox()
  /// The place in a hierarchy; nil for an entity that neither inherits nor is inherited from.
  package let inheritance: EntityInheritance?
  /// Whether its models are actors, which run where their context does.
  package let runsInContext: Bool
  /// Whether its models, or some that they relate to, are actors: a model may not always tell these of a relationship.
  package let meetsActors: Bool

  /// - Parameters:
  ///   - aliases: The positions of inherited properties by the key paths that superclasses have for them.
  ///   - refersToFamilies: Whether a to-one relationship leads to objects of several classes.
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
    self.envelopes = properties.contains { $0.envelope != nil } ? properties.map(\.envelope) : []
    self.inheritance = inheritance
    self.runsInContext = modelType._$runsInContext
    self.meetsActors = runsInContext || relationships.contains { $0.destinationType._$runsInContext }
    let positions = Dictionary(
      properties.map { ($0.keyPath, $0.position) }, uniquingKeysWith: { first, _ in first })
    self.positions = positions.merging(aliases) { own, _ in own }
    self.members = self.positions.reduce(into: [:]) { properties[$1.value].addMembers(to: &$0, from: $1.key) }
  }

  deinit { composites.deallocate() }

  /// Whether the column of a property orders rows as its values order themselves, where that is known without looking.
  package func isOrderedAsStored(at position: Int) -> Bool {
    position < PropertyMask.sharedPosition && orderedMask & PropertyMask.bit(position) != 0
  }

  /// Whether a property may be stored by raw values that belong to an actor, which no overload can tell.
  func isActorBound(at position: Int) -> Bool { actorBoundMask & PropertyMask.bit(position) != 0 }

  /// The relationship at a position; nil when the property there is none.
  package func relationship(at position: Int) -> RelationshipLayout? {
    position < relationshipsByPosition.count ? relationshipsByPosition[position] : nil
  }

  /// The property that a key path of the model names, or nil when it names none that is stored.
  package func property(at keyPath: AnyKeyPath) -> PropertyLayout? {
    positions[keyPath].map { properties[$0] }
  }

  /// What a key path of the model means that leads into a composite property.
  package func memberMeaning(of keyPath: AnyKeyPath) -> KeyPathMeaning? { members[keyPath] }

  /// The layout of a property that is a composite.
  package func compositeLayout(at position: Int) -> CompositeLayout? {
    composites[position]?.takeUnretainedValue()
  }

  package func property(named name: String) -> PropertyLayout? {
    properties.first { $0.name == name }
  }
}

/// One property of an entity, as the machinery sees it.
package struct PropertyLayout: @unchecked Sendable {
  // Unchecked because key paths, metatypes and default values are not Sendable as types. The key paths come from
  // literals without captures. A default may have an object inside, which nobody gets: `Placeholder` has another made.
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
  /// The columns that hold the property: one for a value or a to-one relationship, none for a to-many relationship,
  /// several for a composite.
  package let columns: [ColumnLayout]
  /// What the column holds in the place of the value; nil when it holds the value.
  package let envelope: Envelope?
  /// How a composite is laid out in the columns.
  package let composite: CompositeLayout?

  package init(
    name: String, position: Int, keyPath: AnyKeyPath, valueType: any Any.Type, isOptional: Bool, isUnique: Bool,
    defaultValue: Any?, kind: PropertyKind, columns: [ColumnLayout], attribute: Schema.Attribute? = nil,
    relationship: RelationshipLayout? = nil, envelope: Envelope? = nil, composite: CompositeLayout? = nil
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
    self.envelope = envelope
    self.composite = composite
  }

  func isWritable<T: PersistentModel>(in type: T.Type) -> Bool {
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

  /// The bit of the property in masks of changed or wanted properties.
  package var bit: UInt64 { PropertyMask.bit(position) }
}

/// What a property holds.
package enum PropertyKind: Sendable, Hashable {
  case attribute
  /// A value that a value transformer turns into bytes.
  case transformable
  case toOne(destination: String)
  case toMany(destination: String)
}

/// One column of an entity's table.
package struct ColumnLayout: Sendable, Hashable {
  package let name: String
  package let format: ColumnFormat
  package let isOptional: Bool
  /// The property's name and those of the members that lead to the column.
  package let path: [String]
  /// Whether the numbers go beyond those of 64 bits with a sign, so that the greatest are stored as bytes.
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
  /// Sets of properties as the bits of one word.
  ///
  /// Properties from the 64th on share the last bit: they are read and written together, which costs a little and loses
  /// nothing.
  @frozen
  public enum PropertyMask {
    public static let all: UInt64 = .max
    /// The position from which on all properties share a bit.
    @inlinable package static var sharedPosition: Int { 63 }

    @inlinable
    public static func bit(_ position: Int) -> UInt64 {
      1 << UInt64(truncatingIfNeeded: min(position, sharedPosition))
    }
  }
}
