import PersistenceRuntime
import PersistenceSupport

/// The stored properties of a model as a Sendable value. Ours. `@ModelValue` generates one for a model.
public protocol ModelValue: Sendable, Codable, Hashable {
  /// The identifier of the model.
  var persistentModelID: PersistentIdentifier { get }
  /// Sets the identifiers of a relationship that cannot be decoded from the row alone. For generated code.
  mutating func _$fill(_ position: Int, _ identifiers: [PersistentIdentifier])
}

/// A model that can be read as a value. Ours. `@ModelValue` generates the conformance.
public protocol ValueReadable: PersistentModel {
  /// The type of the values.
  associatedtype Value: ModelValue
  /// The positions of the model's properties that a value contains. For generated code.
  static var _$valuePositions: [Int] { get }
  /// The value of a model in memory, including its unsaved changes. For generated code.
  static func _$value(of model: Self) -> Value
  /// Decodes a value from every row. For generated code.
  static func _$decodeValues(_ rows: inout _PersistenceRuntime.RowReader) throws -> [Value]
}

extension PersistentModel {
  /// The type that replaces a related model in a value: its identifier. For generated code.
  public typealias _$Reference = PersistentIdentifier
}

extension Decodable {
  /// The type of an attribute in a value: the attribute's own type. For generated code.
  public typealias _$Reference = Self
}

// Generated code calls these functions. `_$reference` converts models to identifiers; other values stay unchanged.

/// Only generated code calls this function.
@_disfavoredOverload
@inlinable
public func _$reference<T>(_ value: T) -> T { value }

/// Only generated code calls this function.
public func _$reference<T: PersistentModel>(_ model: T) -> PersistentIdentifier { model.persistentModelID }

/// Only generated code calls this function.
public func _$reference<T: PersistentModel>(_ model: T?) -> PersistentIdentifier? { model?.persistentModelID }

/// Only generated code calls this function.
public func _$reference<T: PersistentModel>(_ models: [T]) -> [PersistentIdentifier] { models.map(\.persistentModelID) }

/// Only generated code calls this function.
public func _$reference<T: PersistentModel>(_ models: [T]?) -> [PersistentIdentifier]? {
  models?.map(\.persistentModelID)
}

/// Only generated code calls this function.
@_disfavoredOverload
public func _$fill<T>(_ field: inout T, _ identifiers: [PersistentIdentifier]) {}

/// Only generated code calls this function.
public func _$fill(_ field: inout PersistentIdentifier, _ identifiers: [PersistentIdentifier]) {
  if let last = identifiers.last { field = last }
}

/// Only generated code calls this function.
public func _$fill(_ field: inout PersistentIdentifier?, _ identifiers: [PersistentIdentifier]) {
  field = identifiers.last
}

/// Only generated code calls this function.
public func _$fill(_ field: inout [PersistentIdentifier], _ identifiers: [PersistentIdentifier]) {
  field = identifiers
}

/// Only generated code calls this function.
public func _$fill(_ field: inout [PersistentIdentifier]?, _ identifiers: [PersistentIdentifier]) {
  field = identifiers
}
