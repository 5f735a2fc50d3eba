import Foundation
import PersistenceBackingData
import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

/// A snapshot of a model of any type. Apple's.
///
/// Each value has the type that the model declares. If a snapshot is encoded as JSON, the property names are the keys.
///
/// ```swift
/// let data = try JSONEncoder().encode(snapshot)
/// let same = try JSONDecoder().decode(DefaultSnapshot.self, from: data)
/// ```
///
/// Decoding needs the entity, to know the types of the values. During a call of a store, it uses the entity of this
/// store. Otherwise it uses the last opened store that has an entity of this name.
public struct DefaultSnapshot: DataStoreSnapshot {
  /// The identifier of the model. Apple's.
  public let persistentIdentifier: PersistentIdentifier
  package let values: SnapshotValues

  package init(_ identifier: PersistentIdentifier, _ values: SnapshotValues) {
    persistentIdentifier = identifier
    self.values = values
  }

  /// Creates a snapshot of a model's values. Apple's.
  ///
  /// - Parameters:
  ///   - backingData: The values, such as `model.persistentBackingData`.
  ///   - relatedBackingDatas: Receives the values of the models that `backingData` refers to.
  public init(
    from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    if let source = backingData as? any SnapshotSource, let identifier = source.persistentModelID {
      self.init(identifier, source.snapshotValues)
    } else {
      self = Self.taking(backingData, &relatedBackingDatas)
    }
  }

  private static func taking<Values: BackingData>(
    _ data: Values, _ related: inout [PersistentIdentifier: any BackingData]
  ) -> DefaultSnapshot {
    var values = SnapshotValues()
    for property in Values.Model.schemaMetadata where property.isProperty {
      let value = data.anyValue(at: property.keypath)
      let transformer = (property.metadata as? Schema.Attribute)?.transformer
      values[property.name] =
        transformer.map { bytes(of: value, $0) } ?? self.value(value, at: property.keypath, &related)
    }
    // A model without an identifier gets a temporary one, like an unsaved model.
    let identifier =
      data.persistentModelID
      ?? PersistentIdentifier(.token(IdentifierToken(entityName: Schema.entityName(ofModel: Values.Model.self))))
    return DefaultSnapshot(identifier, values)
  }

  private static func bytes(of value: Any?, _ transformer: ValueTransformer) -> SnapshotValue {
    let bytes = value.flatMap(DefaultValue.unwrapped).flatMap(transformer.transformedValue) as? Data
    return bytes.map { .value($0) } ?? .null
  }

  private static func value(
    _ value: Any?, at keyPath: AnyKeyPath, _ related: inout [PersistentIdentifier: any BackingData]
  ) -> SnapshotValue {
    let present = value.flatMap(DefaultValue.unwrapped)
    switch present {
    case let model as any PersistentModel:
      note(model, &related)
      return .toOne(model.persistentModelID)
    case let models as [any PersistentModel] where PropertyType(type(of: keyPath).valueType).isToMany:
      for model in models { note(model, &related) }
      return .toMany(models.map(\.persistentModelID))
    case let value as any Codable: return .value(value)
    default: break
    }
    let type = PropertyType(type(of: keyPath).valueType)
    return type.isToMany ? .toMany([]) : type.destination != nil ? .toOne(nil) : .null
  }

  private static func note<T: PersistentModel>(
    _ model: T, _ related: inout [PersistentIdentifier: any BackingData]
  ) { related[model.persistentModelID] = model.persistentBackingData }

  /// Returns a copy with another identifier and the same values. Apple's.
  ///
  /// - Parameters:
  ///   - persistentIdentifier: The identifier of the copy.
  ///   - remappedIdentifiers: The new identifiers of related models, by their old identifiers.
  /// - Returns: The snapshot.
  public func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = [:]
  ) -> DefaultSnapshot {
    DefaultSnapshot(persistentIdentifier, values.remapped(remappedIdentifiers ?? [:]))
  }
}

// Encodes and decodes snapshots.

extension DefaultSnapshot {
  /// Decodes a snapshot. Apple's.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The error of the decoder; `DecodingError` if no store that was opened has the entity, or if the value of
  ///   a required property is missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    let identifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
    guard let entity = SnapshotEntities.layout(named: identifier.entityName) else {
      throw DecodingError.dataCorruptedError(
        forKey: .persistentIdentifier, in: container,
        debugDescription: "no open store has the entity \(identifier.entityName), whose model says what the values are")
    }
    var values = SnapshotValues()
    for property in entity.properties { values[property.name] = try Self.decode(property, from: container) }
    self.init(identifier, values)
  }

  private static func decode(
    _ property: PropertyLayout, from container: KeyedDecodingContainer<DataStoreSnapshotCodingKey>
  ) throws -> SnapshotValue {
    let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
    if let relationship = property.relationship {
      guard relationship.isToMany else {
        return .toOne(try container.decodeIfPresent(PersistentIdentifier.self, forKey: key))
      }
      return .toMany(try container.decodeIfPresent([PersistentIdentifier].self, forKey: key) ?? [])
    }
    if let value = try property.snapshotType.decode(from: container, key) { return .value(value) }
    if property.isOptional { return .null }
    if let standard = property.snapshotDefault { return .value(standard) }
    throw DecodingError.keyNotFound(
      key,
      DecodingError.Context(
        codingPath: container.codingPath, debugDescription: "\(property.name) has no value, which the model requires"))
  }

  /// Encodes the identifier and the values under the names of the properties. Apple's.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    for name in values.names {
      let key = DataStoreSnapshotCodingKey.modeledProperty(name)
      switch values[name] {
      case .value(let value): try container.encode(value, forKey: key)
      case .toOne(let identifier?): try container.encode(identifier, forKey: key)
      case .toMany(let identifiers): try container.encode(identifiers, forKey: key)
      case .null, .toOne, nil: try container.encodeNil(forKey: key)
      }
    }
  }
}

extension PropertyLayout {
  /// The type of an attribute's value in a snapshot: `Data` if the attribute has a transformer, which returns bytes.
  var snapshotType: any Codable.Type {
    if kind == .transformable { return Data.self }
    return valueType as? any Codable.Type ?? Data.self
  }

  /// The default value of an attribute, which is used if a snapshot has no value for it.
  var snapshotDefault: (any Codable)? {
    guard kind != .transformable, let value = defaultValue.flatMap(DefaultValue.unwrapped) else { return nil }
    return (DefaultValue.conforming(value, to: valueType) ?? value) as? any Codable
  }
}

extension Decodable where Self: Encodable {
  fileprivate static func decode(
    from container: KeyedDecodingContainer<DataStoreSnapshotCodingKey>, _ key: DataStoreSnapshotCodingKey
  ) throws -> (any Codable)? {
    try container.decodeIfPresent(Self.self, forKey: key)
  }
}

extension Schema.PropertyMetadata {
  /// Whether the metadata describes a property, and not an index or a uniqueness constraint.
  fileprivate var isProperty: Bool { !name.hasPrefix("SwiftData.Schema.") && !(metadata is any KeyPathListing) }
}
