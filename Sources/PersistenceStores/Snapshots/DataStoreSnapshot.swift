import PersistenceRuntime

/// A value in a snapshot. Apple's.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The values of a model at one time. Apple's.
///
/// A snapshot encodes the properties of its model under their names, and its identifier under `persistentIdentifier`.
/// It encodes a to-one relationship as an identifier or nil, and a to-many relationship as an array of identifiers. A
/// program's own snapshot type must use the same keys, and each value must have the type that the model declares.
public protocol DataStoreSnapshot: Decodable, Encodable, Sendable {
  /// The identifier of the model.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Creates a snapshot of a model's values.
  ///
  /// - Parameters:
  ///   - from: The backing data with the values of the model. Its `persistentModelID` is not nil.
  ///   - relatedBackingDatas: The backing data of related models, by the identifiers of these models.
  init(from: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// Returns a copy with another identifier and the same values.
  ///
  /// - Parameters:
  ///   - persistentIdentifier: The identifier of the copy.
  ///   - remappedIdentifiers: The replacements of identifiers in relationships, by old identifier; nil for none.
  /// - Returns: The snapshot.
  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// The keys under which a snapshot is encoded. Apple's.
public enum DataStoreSnapshotCodingKey: CodingKey {
  /// The identifier of the model.
  case persistentIdentifier
  /// A property of the model, with its name.
  case modeledProperty(String)

  /// Creates the key of the identifier or of a property.
  ///
  /// - Parameter stringValue: The name of the property, or `persistentIdentifier`.
  public init?(stringValue: String) {
    self = stringValue == Self.identifierName ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// Returns nil, because properties are identified by name only.
  ///
  /// - Parameter intValue: A number.
  public init?(intValue: Int) { return nil }

  /// The name of the property, or `persistentIdentifier`.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: Self.identifierName
    case .modeledProperty(let name): name
    }
  }

  /// Nil, because properties are identified by name only.
  public var intValue: Int? { nil }

  private static let identifierName = "persistentIdentifier"
}
