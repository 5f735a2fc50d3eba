import PersistenceRuntime
import PersistenceSupport

/// What a store has of a model, as a value: it crosses actors, compares, and turns into JSON.
///
/// `@ModelValue` generates one in each model that carries it.
public protocol ModelValue: Sendable, Codable, Hashable {
  /// The identity of the model.
  var persistentModelID: PersistentIdentifier { get }
  /// Takes the identifiers of what a relationship holds, which its row does not have.
  mutating func _$fill(_ position: Int, _ identifiers: [PersistentIdentifier])
}

/// A model that can be read as a value. `@ModelValue` writes the conformance.
public protocol ValueReadable: PersistentModel {
  /// What a store has of the model.
  associatedtype Value: ModelValue
  /// The positions of the properties that the value has.
  static var _$valuePositions: [Int] { get }
  /// What an object has, whether it is saved or not.
  static func _$value(of model: Self) -> Value
  /// Makes a value of every row.
  static func _$decodeValues(_ rows: inout _PersistenceRuntime.RowReader) throws -> [Value]
}

extension PersistentModel {
  /// What stands for a model in a value.
  public typealias _$Reference = PersistentIdentifier
}

extension Decodable {
  /// What stands in a value for something that is stored as it is: itself.
  public typealias _$Reference = Self
}

// What generated code of values calls. The overloads choose by type: models become identifiers, anything else stays.

@_disfavoredOverload
@inlinable
public func _$reference<T>(_ value: T) -> T { value }

public func _$reference<T: PersistentModel>(_ model: T) -> PersistentIdentifier { model.persistentModelID }

public func _$reference<T: PersistentModel>(_ model: T?) -> PersistentIdentifier? { model?.persistentModelID }

public func _$reference<T: PersistentModel>(_ models: [T]) -> [PersistentIdentifier] { models.map(\.persistentModelID) }

public func _$reference<T: PersistentModel>(_ models: [T]?) -> [PersistentIdentifier]? {
  models?.map(\.persistentModelID)
}

@_disfavoredOverload
public func _$fill<T>(_ field: inout T, _ identifiers: [PersistentIdentifier]) {}

public func _$fill(_ field: inout PersistentIdentifier, _ identifiers: [PersistentIdentifier]) {
  if let last = identifiers.last { field = last }
}

public func _$fill(_ field: inout PersistentIdentifier?, _ identifiers: [PersistentIdentifier]) {
  field = identifiers.last
}

public func _$fill(_ field: inout [PersistentIdentifier], _ identifiers: [PersistentIdentifier]) {
  field = identifiers
}

public func _$fill(_ field: inout [PersistentIdentifier]?, _ identifiers: [PersistentIdentifier]) {
  field = identifiers
}
