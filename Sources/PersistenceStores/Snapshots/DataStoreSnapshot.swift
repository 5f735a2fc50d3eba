import PersistenceRuntime

/// A value in a snapshot. Apple's.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The values of a model at one moment. Apple's.
///
/// As a Codable value, it has the properties of its model under their names, and its identifier under
/// `persistentIdentifier`. A to-one relationship is an identifier or nil, a to-many relationship an array of
/// identifiers. A custom type has the same keys, with the types that its model declares.
public protocol DataStoreSnapshot: Decodable, Encodable, Sendable {
  /// The identity of the model.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Creates a snapshot of a model's values.
  ///
  /// - Parameters:
  ///   - from: The values. Their `persistentModelID` is not nil.
  ///   - relatedBackingDatas: The values of related models, by their identifiers.
  init(from: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// Returns the same values under another identifier.
  ///
  /// - Parameters:
  ///   - persistentIdentifier: The identifier.
  ///   - remappedIdentifiers: The replacements of identifiers in relationships; others stay. Nil for none.
  /// - Returns: The snapshot.
  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// The keys of a snapshot. Apple's.
public enum DataStoreSnapshotCodingKey: CodingKey {
  /// The identity of the model.
  case persistentIdentifier
  /// A property of the model, by its name.
  case modeledProperty(String)

  /// Creates the key of a property, or of the identity.
  ///
  /// - Parameter stringValue: The name of the property, or `persistentIdentifier`.
  public init?(stringValue: String) {
    self = stringValue == Self.identifierName ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// Returns nil: properties have no numbers.
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

  /// Nil: properties have no numbers.
  public var intValue: Int? { nil }

  private static let identifierName = "persistentIdentifier"
}
