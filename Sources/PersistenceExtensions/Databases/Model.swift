import PersistenceRuntime

/// A typed reference to a model: it may be kept, compared, encoded and sent anywhere, and the model may not.
///
/// A context turns it back into a model with ``ModelContext/get(_:)``.
///
/// ```swift
/// let trip: Model<Trip> = try await database.insert { Trip(name: "Oslo") }
/// try await database.update(trip) { $0.name = "Bergen" }
/// ```
public struct Model<T: PersistentModel>: Sendable, Hashable, Identifiable {
  /// The identity of the model.
  public let persistentIdentifier: PersistentIdentifier

  /// Makes a reference to what an identifier stands for. Whether that is a model of the type is found out when it is
  /// looked up.
  public init(persistentIdentifier: PersistentIdentifier) {
    self.persistentIdentifier = persistentIdentifier
  }

  /// Makes a reference to a model. One to a model that was never saved stays valid when it is.
  public init(_ model: T) {
    self.init(persistentIdentifier: model.persistentModelID)
  }

  public var id: PersistentIdentifier { persistentIdentifier }

  /// Whether the model has never been saved.
  public var isTemporary: Bool { persistentIdentifier.isTemporary }
}

/// Encodes as its identifier does.
extension Model: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(persistentIdentifier: try PersistentIdentifier(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws {
    try persistentIdentifier.encode(to: encoder)
  }
}

extension Model: CustomStringConvertible {
  public var description: String {
    "Model<\(T.self)>(\(persistentIdentifier.primaryKeyText))"
  }
}
