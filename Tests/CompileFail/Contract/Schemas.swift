import Foundation
import SwiftData

// MARK: 4 Schema

func schemas(
  _ schema: Schema, _ entity: Schema.Entity, _ url: URL, _ decoder: any Decoder, _ encoder: any Encoder,
  _ hasher: inout Hasher
) throws {
  let _: any Decodable.Type = Schema.self  // use: Schema: Decodable
  let _: any Encodable.Type = Schema.self  // use: Schema: Encodable
  let _: any Hashable.Type = Schema.self  // use: Schema: Hashable
  let _: any CustomDebugStringConvertible.Type = Schema.self  // use: Schema: CustomDebugStringConvertible
  let _: any Sendable.Type = Schema.self  // use: Schema: Sendable
  let _: Schema.Version = Schema.schemaEncodingVersion  // use: Schema.schemaEncodingVersion
  let _: Schema.Version = schema.encodingVersion  // use: Schema.encodingVersion
  let _: Schema.Version = schema.version  // use: Schema.version
  let _: [Schema.Entity] = schema.entities  // use: Schema.entities
  let _: [String: Schema.Entity] = schema.entitiesByName  // use: Schema.entitiesByName
  let _: Schema = Schema()  // use: Schema.init()
  let _: Schema = Schema(entity, entity, version: .init(1, 0, 0))  // use: Schema.init(_:version:) of entities
  let _: Schema = Schema([Trip.self], version: .init(1, 0, 0))  // use: Schema.init(_:version:) of an array
  let _: Schema = Schema(Trip.self, Stop.self, version: .init(1, 0, 0))  // use: Schema.init(_:version:) of types
  let _: Schema = Schema(versionedSchema: TripsV1.self)  // use: Schema.init(versionedSchema:)
  let _: Schema = try Schema(from: decoder)  // use: Schema.init(from:)
  try schema.encode(to: encoder)  // use: Schema.encode(to:)
  let _: Bool = schema == schema  // use: Schema.==(_:_:)
  schema.hash(into: &hasher)  // use: Schema.hash(into:)
  let _: Int = schema.hashValue  // use: Schema.hashValue
  let _: String = schema.debugDescription  // use: Schema.debugDescription
  try schema.save(to: url)  // use: Schema.save(to:)
  let _: Schema = try Schema.load(from: url)  // use: Schema.load(from:)
  let _: Schema.Entity? = schema.entity(for: Trip.self)  // use: Schema.entity(for:)
  let _: String = Schema.entityName(for: Trip.self)  // use: Schema.entityName(for:)
}

// MARK: 4.1 Schema.Version, Schema.PropertyMetadata

func versions(
  _ version: Schema.Version, _ decoder: any Decoder, _ encoder: any Encoder, _ hasher: inout Hasher
) throws {
  let _: any Decodable.Type = Schema.Version.self  // use: Schema.Version: Decodable
  let _: any Encodable.Type = Schema.Version.self  // use: Schema.Version: Encodable
  let _: any Comparable.Type = Schema.Version.self  // use: Schema.Version: Comparable
  let _: any CustomStringConvertible.Type = Schema.Version.self  // use: Schema.Version: CustomStringConvertible
  let _: any Hashable.Type = Schema.Version.self  // use: Schema.Version: Hashable
  let _: any Sendable.Type = Schema.Version.self  // use: Schema.Version: Sendable
  let _: Int = version.major  // use: Schema.Version.major
  let _: Int = version.minor  // use: Schema.Version.minor
  let _: Int = version.patch  // use: Schema.Version.patch
  let _: Schema.Version = Schema.Version(1, 2, 3)  // use: Schema.Version.init(_:_:_:)
  let _: Bool = version == version  // use: Schema.Version.==(_:_:)
  let _: Bool = version < version  // use: Schema.Version.<(_:_:)
  let _: String = version.description  // use: Schema.Version.description
  let _: Schema.Version = try Schema.Version(from: decoder)  // use: Schema.Version.init(from:)
  try version.encode(to: encoder)  // use: Schema.Version.encode(to:)
  version.hash(into: &hasher)  // use: Schema.Version.hash(into:)
}

// use: Schema.PropertyMetadata.init(name:keypath:defaultValue:metadata:)
func metadata() -> Schema.PropertyMetadata {
  Schema.PropertyMetadata(name: "name", keypath: \Trip.name, defaultValue: "", metadata: Schema.Attribute(.unique))
}

// MARK: 4.2 Schema.Entity

func entities(
  _ entity: Schema.Entity, _ attribute: Schema.Attribute, _ decoder: any Decoder, _ encoder: any Encoder,
  _ hasher: inout Hasher
) throws {
  let _: any Decodable.Type = Schema.Entity.self  // use: Schema.Entity: Decodable
  let _: any Encodable.Type = Schema.Entity.self  // use: Schema.Entity: Encodable
  let _: any Hashable.Type = Schema.Entity.self  // use: Schema.Entity: Hashable
  let _: any CustomDebugStringConvertible.Type = Schema.Entity.self  // use: Schema.Entity: CustomDebugStringConvertible
  let _: any Sendable.Type = Schema.Entity.self  // use: Schema.Entity: Sendable
  entity.name = "Trip"  // use: Schema.Entity.name
  entity.subentities = Set<Schema.Entity>()  // use: Schema.Entity.subentities
  entity.superentityName = "Trip" as String?  // use: Schema.Entity.superentityName
  entity.superentity = entity as Schema.Entity?  // use: Schema.Entity.superentity
  entity.storedProperties = [any SchemaProperty]()  // use: Schema.Entity.storedProperties
  entity.inheritedProperties = [any SchemaProperty]()  // use: Schema.Entity.inheritedProperties
  let _: [any SchemaProperty] = entity.properties  // use: Schema.Entity.properties
  entity.attributes = Set<Schema.Attribute>()  // use: Schema.Entity.attributes
  entity.relationships = Set<Schema.Relationship>()  // use: Schema.Entity.relationships
  entity.attributesByName = [String: Schema.Attribute]()  // use: Schema.Entity.attributesByName
  entity.relationshipsByName = [String: Schema.Relationship]()  // use: Schema.Entity.relationshipsByName
  entity.storedPropertiesByName = [String: any SchemaProperty]()  // use: Schema.Entity.storedPropertiesByName
  entity.inheritedPropertiesByName = [String: any SchemaProperty]()  // use: Schema.Entity.inheritedPropertiesByName
  entity.uniquenessConstraints = [[String]]()  // use: Schema.Entity.uniquenessConstraints
  entity.indices = [[String]]()  // use: Schema.Entity.indices
  let _: Schema.Entity = Schema.Entity("Trip")  // use: Schema.Entity.init(_:)
  let _: Schema.Entity = Schema.Entity("Trip", properties: attribute)  // use: Schema.Entity.init(_:properties:)
  let _: Schema.Entity = try Schema.Entity(from: decoder)  // use: Schema.Entity.init(from:)
  try entity.encode(to: encoder)  // use: Schema.Entity.encode(to:)
  let _: Bool = entity == entity  // use: Schema.Entity.==(_:_:)
  entity.hash(into: &hasher)  // use: Schema.Entity.hash(into:)
  let _: String = entity.debugDescription  // use: Schema.Entity.debugDescription
}

// use: Schema.Entity.init(_:subentities:properties:)
func entity(_ entity: Schema.Entity, _ attribute: Schema.Attribute) -> Schema.Entity {
  Schema.Entity("Trip", subentities: entity, entity, properties: attribute, attribute)
}

// MARK: 4.3 Schema.Attribute

func attributes(
  _ attribute: Schema.Attribute, _ decoder: any Decoder, _ encoder: any Encoder, _ hasher: inout Hasher
) throws {
  let _: any SchemaProperty.Type = Schema.Attribute.self  // use: Schema.Attribute: SchemaProperty
  // use: Schema.Attribute: CustomDebugStringConvertible
  let _: any CustomDebugStringConvertible.Type = Schema.Attribute.self
  let _: any Sendable.Type = Schema.Attribute.self  // use: Schema.Attribute: Sendable
  attribute.name = "name"  // use: Schema.Attribute.name
  attribute.originalName = "nick"  // use: Schema.Attribute.originalName
  attribute.options = [Schema.Attribute.Option.unique]  // use: Schema.Attribute.options
  attribute.valueType = String.self as any Any.Type  // use: Schema.Attribute.valueType
  attribute.defaultValue = "" as Any?  // use: Schema.Attribute.defaultValue
  attribute.isOptional = true  // use: Schema.Attribute.isOptional
  attribute.hashModifier = "2" as String?  // use: Schema.Attribute.hashModifier
  let _: Schema.Attribute = try Schema.Attribute(from: decoder)  // use: Schema.Attribute.init(from:)
  try attribute.encode(to: encoder)  // use: Schema.Attribute.encode(to:)
  let _: Bool = attribute == attribute  // use: Schema.Attribute.==(_:_:)
  attribute.hash(into: &hasher)  // use: Schema.Attribute.hash(into:)
  let _: String = attribute.debugDescription  // use: Schema.Attribute.debugDescription
  let _: Bool = attribute.isAttribute  // use: Schema.Attribute.isAttribute
  let _: Bool = attribute.isRelationship  // use: Schema.Attribute.isRelationship
  let _: Bool = attribute.isTransient  // use: Schema.Attribute.isTransient
  let _: Bool = attribute.isUnique  // use: Schema.Attribute.isUnique
  let _: Bool = attribute.isTransformable  // use: Schema.Attribute.isTransformable
}

// use: Schema.Attribute.init(_:originalName:hashModifier:)
func newAttribute() -> Schema.Attribute {
  Schema.Attribute(.unique, .spotlight, originalName: "nick", hashModifier: "2")
}

// use: Schema.Attribute.init(name:originalName:options:valueType:defaultValue:hashModifier:)
func namedAttribute() -> Schema.Attribute {
  Schema.Attribute(
    name: "name", originalName: "nick", options: [.unique], valueType: String.self, defaultValue: "", hashModifier: "2")
}

func options(
  _ option: Schema.Attribute.Option, _ decoder: any Decoder, _ encoder: any Encoder, _ hasher: inout Hasher
) throws {
  let _: any Decodable.Type = Schema.Attribute.Option.self  // use: Schema.Attribute.Option: Decodable
  let _: any Encodable.Type = Schema.Attribute.Option.self  // use: Schema.Attribute.Option: Encodable
  let _: any Hashable.Type = Schema.Attribute.Option.self  // use: Schema.Attribute.Option: Hashable
  let _: any Sendable.Type = Schema.Attribute.Option.self  // use: Schema.Attribute.Option: Sendable
  let _: any CustomDebugStringConvertible = option  // use: Schema.Attribute.Option: CustomDebugStringConvertible
  let _: String = option.debugDescription  // use: Schema.Attribute.Option.debugDescription
  let _: Schema.Attribute.Option = .unique  // use: Schema.Attribute.Option.unique
  let _: Schema.Attribute.Option = .externalStorage  // use: Schema.Attribute.Option.externalStorage
  let _: Schema.Attribute.Option = .allowsCloudEncryption  // use: Schema.Attribute.Option.allowsCloudEncryption
  let _: Schema.Attribute.Option = .preserveValueOnDeletion  // use: Schema.Attribute.Option.preserveValueOnDeletion
  let _: Schema.Attribute.Option = .ephemeral  // use: Schema.Attribute.Option.ephemeral
  let _: Schema.Attribute.Option = .spotlight  // use: Schema.Attribute.Option.spotlight
  let _: Schema.Attribute.Option = .codable  // use: Schema.Attribute.Option.codable
}

// use: Schema.Attribute.Option.transformable(by:) of a type
func transformable(_ type: ValueTransformer.Type) -> Schema.Attribute.Option { .transformable(by: type) }

// use: Schema.Attribute.Option.transformable(by:) of a name
func transformable(_ name: String) -> Schema.Attribute.Option { .transformable(by: name) }

// MARK: 4.4 Schema.CompositeAttribute

func composites(
  _ composite: Schema.CompositeAttribute, _ decoder: any Decoder, _ encoder: any Encoder
) throws {
  let _: Schema.Attribute = composite  // use: Schema.CompositeAttribute: Attribute
  let _: any Sendable.Type = Schema.CompositeAttribute.self  // use: Schema.CompositeAttribute: Sendable
  composite.properties = [Schema.Attribute]()  // use: Schema.CompositeAttribute.properties
  let _ = try Schema.CompositeAttribute(from: decoder)  // use: Schema.CompositeAttribute.init(from:)
  try composite.encode(to: encoder)  // use: Schema.CompositeAttribute.encode(to:)
  let _: String = composite.debugDescription  // use: Schema.CompositeAttribute.debugDescription
  let _: Bool = composite == composite  // use: Schema.CompositeAttribute.==(_:_:)
}

// use: Schema.CompositeAttribute.init(name:originalName:options:valueType:defaultValue:hashModifier:)
func composite() -> Schema.CompositeAttribute {
  Schema.CompositeAttribute(
    name: "name", originalName: "nick", options: [], valueType: String.self, defaultValue: nil, hashModifier: nil)
}

// MARK: 4.5 Schema.Relationship

func relationships(
  _ relationship: Schema.Relationship, _ option: Schema.Relationship.Option, _ decoder: any Decoder,
  _ encoder: any Encoder, _ hasher: inout Hasher
) throws {
  let _: any SchemaProperty = relationship  // use: Schema.Relationship: SchemaProperty
  let _: any CustomDebugStringConvertible = relationship  // use: Schema.Relationship: CustomDebugStringConvertible
  let _: any Sendable.Type = Schema.Relationship.self  // use: Schema.Relationship: Sendable
  relationship.name = "stops"  // use: Schema.Relationship.name
  relationship.originalName = "stations"  // use: Schema.Relationship.originalName
  relationship.keypath = \Trip.stops as AnyKeyPath?  // use: Schema.Relationship.keypath
  relationship.options = [Schema.Relationship.Option]()  // use: Schema.Relationship.options
  relationship.valueType = [Stop].self as any Any.Type  // use: Schema.Relationship.valueType
  relationship.destination = "Stop"  // use: Schema.Relationship.destination
  relationship.deleteRule = Schema.Relationship.DeleteRule.deny  // use: Schema.Relationship.deleteRule
  relationship.inverseName = "trip" as String?  // use: Schema.Relationship.inverseName
  relationship.inverseKeyPath = \Stop.trip as AnyKeyPath?  // use: Schema.Relationship.inverseKeyPath
  relationship.minimumModelCount = 1 as Int?  // use: Schema.Relationship.minimumModelCount
  relationship.maximumModelCount = 2 as Int?  // use: Schema.Relationship.maximumModelCount
  relationship.hashModifier = "2" as String?  // use: Schema.Relationship.hashModifier
  let _: Bool = relationship.isToOneRelationship  // use: Schema.Relationship.isToOneRelationship
  let _: Schema.Relationship = try Schema.Relationship(from: decoder)  // use: Schema.Relationship.init(from:)
  try relationship.encode(to: encoder)  // use: Schema.Relationship.encode(to:)
  let _: Bool = relationship == relationship  // use: Schema.Relationship.==(_:_:)
  relationship.hash(into: &hasher)  // use: Schema.Relationship.hash(into:)
  let _: String = relationship.debugDescription  // use: Schema.Relationship.debugDescription
  let _: Bool = relationship.isUnique  // use: Schema.Relationship.isUnique
  let _: Bool = relationship.isAttribute  // use: Schema.Relationship.isAttribute
  let _: Bool = relationship.isTransient  // use: Schema.Relationship.isTransient
  let _: any Decodable.Type = Schema.Relationship.Option.self  // use: Schema.Relationship.Option: Decodable
  let _: any Encodable.Type = Schema.Relationship.Option.self  // use: Schema.Relationship.Option: Encodable
  let _: any Hashable.Type = Schema.Relationship.Option.self  // use: Schema.Relationship.Option: Hashable
  let _: any CustomDebugStringConvertible = option  // use: Schema.Relationship.Option: CustomDebugStringConvertible
  let _: Schema.Relationship.Option = .unique  // use: Schema.Relationship.Option.unique
}

// use: Schema.Relationship.init(_:deleteRule:minimumModelCount:maximumModelCount:originalName:inverse:hashModifier:)
func newRelationship() -> Schema.Relationship {
  Schema.Relationship(
    .unique, deleteRule: .nullify, minimumModelCount: 0, maximumModelCount: 0, originalName: nil, inverse: nil,
    hashModifier: nil)
}

func rules(_ rule: Schema.Relationship.DeleteRule) {
  // use: Schema.Relationship.DeleteRule: RawRepresentable
  let _: any RawRepresentable.Type = Schema.Relationship.DeleteRule.self
  let _: any Decodable.Type = Schema.Relationship.DeleteRule.self  // use: Schema.Relationship.DeleteRule: Decodable
  let _: any Encodable.Type = Schema.Relationship.DeleteRule.self  // use: Schema.Relationship.DeleteRule: Encodable
  switch rule {
  case .noAction: break  // use: Schema.Relationship.DeleteRule.noAction
  case .nullify: break  // use: Schema.Relationship.DeleteRule.nullify
  case .cascade: break  // use: Schema.Relationship.DeleteRule.cascade
  case .deny: break  // use: Schema.Relationship.DeleteRule.deny
  }
}

// MARK: 4.6 Schema.Index, Schema.Unique

func indexes(
  _ index: Schema.Index<Trip>, _ decoder: any Decoder, _ encoder: any Encoder, _ hasher: inout Hasher
) throws {
  let _: any SchemaProperty = index  // use: Schema.Index: SchemaProperty
  let _: any CustomDebugStringConvertible = index  // use: Schema.Index: CustomDebugStringConvertible
  let _: any Hashable.Type = Schema.Index<Trip>.self  // use: Schema.Index: Hashable
  let _: any Decodable.Type = Schema.Index<Trip>.self  // use: Schema.Index: Decodable
  let _: any Encodable.Type = Schema.Index<Trip>.self  // use: Schema.Index: Encodable
  let _: Schema.Index<Trip>.Types<Trip> = .binary([\.name])  // use: Schema.Index.Types.binary(_:)
  let _: Schema.Index<Trip>.Types<Trip> = .rtree([\.name])  // use: Schema.Index.Types.rtree(_:)
  index.name = "index"  // use: Schema.Index.name
  index.originalName = "index"  // use: Schema.Index.originalName
  index.valueType = String.self as any Any.Type  // use: Schema.Index.valueType
  let _: Bool = index.isUnique  // use: Schema.Index.isUnique
  let _: [Schema.Index<Trip>.Types<Trip>] = index.indices  // use: Schema.Index.indices
  let _: Schema.Index<Trip> = Schema.Index<Trip>(.binary([\.name]))  // use: Schema.Index.init(_:) of kinds
  let _: Schema.Index<Trip> = Schema.Index<Trip>([\.name], [\.days])  // use: Schema.Index.init(_:) of key paths
  let _: any CodingKey = Schema.Index<Trip>.CodingKeys.indices  // use: Schema.Index.CodingKeys.indices
  let _: Schema.Index<Trip> = try Schema.Index<Trip>(from: decoder)  // use: Schema.Index.init(from:)
  try index.encode(to: encoder)  // use: Schema.Index.encode(to:)
  let _: Bool = index == index  // use: Schema.Index.==(_:_:)
  index.hash(into: &hasher)  // use: Schema.Index.hash(into:)
  let _: String = index.debugDescription  // use: Schema.Index.debugDescription
}

func constraints(
  _ unique: Schema.Unique<Trip>, _ decoder: any Decoder, _ encoder: any Encoder, _ hasher: inout Hasher
) throws {
  let _: any SchemaProperty = unique as Schema.Unique  // use: Schema.Unique: SchemaProperty
  let _: any CustomDebugStringConvertible = unique as Schema.Unique  // use: Schema.Unique: CustomDebugStringConvertible
  let _: any Hashable.Type = Schema.Unique<Trip>.self  // use: Schema.Unique: Hashable
  let _: any Decodable.Type = Schema.Unique<Trip>.self  // use: Schema.Unique: Decodable
  let _: any Encodable.Type = Schema.Unique<Trip>.self  // use: Schema.Unique: Encodable
  unique.name = "unique"  // use: Schema.Unique.name
  unique.originalName = "unique"  // use: Schema.Unique.originalName
  unique.valueType = String.self as any Any.Type  // use: Schema.Unique.valueType
  let _: Bool = unique.isUnique  // use: Schema.Unique.isUnique
  let _: [[PartialKeyPath<Trip>]] = unique.constraints  // use: Schema.Unique.constraints
  let _: Schema.Unique<Trip> = Schema.Unique<Trip>([\.name], [\.days])  // use: Schema.Unique.init(_:)
  let _: any CodingKey = Schema.Unique<Trip>.CodingKeys.constraints  // use: Schema.Unique.CodingKeys.constraints
  let _: Schema.Unique<Trip> = try Schema.Unique<Trip>(from: decoder)  // use: Schema.Unique.init(from:)
  try unique.encode(to: encoder)  // use: Schema.Unique.encode(to:)
  let _: Bool = unique == unique  // use: Schema.Unique.==(_:_:)
  unique.hash(into: &hasher)  // use: Schema.Unique.hash(into:)
  let _: String = unique.debugDescription  // use: Schema.Unique.debugDescription
}

// MARK: 4.7 SchemaProperty

func properties<P: SchemaProperty>(_ property: inout P) {
  let _: any Decodable.Type = P.self as any SchemaProperty.Type  // use: SchemaProperty: Decodable
  let _: any Encodable.Type = P.self as any SchemaProperty.Type  // use: SchemaProperty: Encodable
  let _: any Hashable.Type = P.self as any SchemaProperty.Type  // use: SchemaProperty: Hashable
  property.name = "name"  // use: SchemaProperty.name
  property.originalName = "name"  // use: SchemaProperty.originalName
  property.valueType = String.self as any Any.Type  // use: SchemaProperty.valueType
  let _: Bool = property.isAttribute  // use: SchemaProperty.isAttribute
  let _: Bool = property.isRelationship  // use: SchemaProperty.isRelationship
  let _: Bool = property.isTransient  // use: SchemaProperty.isTransient
  let _: Bool = property.isOptional  // use: SchemaProperty.isOptional
  let _: Bool = property.isUnique  // use: SchemaProperty.isUnique
}

// use: SchemaProperty (defaults of isAttribute, isRelationship, isTransient, isOptional)
struct OwnProperty: SchemaProperty {
  var name = ""
  var originalName = ""
  var valueType: any Any.Type {
    get { String.self }
    set {}
  }
  let isUnique = false
  func flags() -> [Bool] { [isAttribute, isRelationship, isTransient, isOptional] }
}
