import PersistenceContext
import PersistenceRuntime

/// A typed reference to a model. Ours.
///
/// A reference, in contrast to its model, is Sendable and can be stored, compared and encoded. ``ModelContext/get(_:)``
/// returns the model of a reference in a context.
///
/// ```swift
/// let trip: Model<Trip> = try await database.insert { Trip(name: "Oslo") }
/// try await database.update(trip) { $0.name = "Bergen" }
/// ```
public struct Model<T: PersistentModel>: Sendable, Hashable, Identifiable {
  /// The identifier of the model.
  public let persistentIdentifier: PersistentIdentifier

  /// Creates a reference from an identifier. Whether the model has the type `T` is checked only when it is looked up.
  ///
  /// - Parameter persistentIdentifier: The identifier.
  public init(persistentIdentifier: PersistentIdentifier) {
    self.persistentIdentifier = persistentIdentifier
  }

  /// Creates a reference to a model. The reference of an unsaved model stays valid when the model is saved.
  ///
  /// - Parameter model: The model. Call this initialiser only on the actor or thread of the model's context.
  public init(_ model: T) {
    self.init(persistentIdentifier: model.persistentModelID)
  }

  /// The identifier of the model.
  public var id: PersistentIdentifier { persistentIdentifier }

  /// Whether the model has never been saved.
  public var isTemporary: Bool { persistentIdentifier.isTemporary }
}

/// A reference is encoded as its identifier.
extension Model: Codable {
  /// Decodes the identifier.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The error of the decoder; `DecodingError` if it has no identifier.
  public init(from decoder: any Decoder) throws {
    self.init(persistentIdentifier: try PersistentIdentifier(from: decoder))
  }

  /// Encodes the identifier.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    try persistentIdentifier.encode(to: encoder)
  }
}

extension Model: CustomStringConvertible {
  /// The type and the primary key.
  public var description: String {
    "Model<\(T.self)>(\(persistentIdentifier.primaryKeyText))"
  }
}

extension ModelContext {
  /// Returns the model of a reference: the context's object if there is one, or else a model that is read from the
  /// store. Ours.
  ///
  /// - Parameter model: The reference.
  /// - Returns: The context's object.
  /// - Throws: `SwiftDataError.modelNotFound` if the row does not exist or belongs to another type, and the error of
  ///   the store.
  public func get<T: PersistentModel>(_ model: Model<T>) throws -> T {
    try existingModel(for: model.persistentIdentifier)
  }

  /// Returns the model of a reference; nil if the row does not exist or belongs to another type. Ours.
  ///
  /// - Parameter model: The reference.
  /// - Returns: The context's object.
  /// - Throws: The error of the store.
  public func getOptional<T: PersistentModel>(_ model: Model<T>) throws -> T? {
    try persistentModel(withID: model.persistentIdentifier)
  }
}
