import Observation
import PersistenceSupport

/// A class whose instances a store keeps.
///
/// Apple's protocol. `@Model` writes the conformance; a class that declares it by hand stores its values through a
/// ``BackingData``. A model belongs to one ``ModelContext`` at a time and to whatever may use that context: it is not
/// Sendable.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// The root of the class's hierarchy of models.
  associatedtype Root: PersistentModel = Self

  /// Makes an instance that takes its values from backing data.
  ///
  /// An actor keeps the backing data for itself, which is why it is sent.
  init(backingData: sending any BackingData<Self>)

  /// The values of the instance. Setting it copies the values of another backing data.
  var persistentBackingData: any BackingData<Self> { get set }

  /// What the schema needs to know about each stored property.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }

  // What generated code of models adds that belong to an actor.

  /// The properties under the same names, in no actor. Only the library makes one.
  associatedtype _$Fields = _PersistenceRuntime._$NoFields
  /// The way from the model to its properties outside of the actor.
  static var _$fieldsPath: AnyKeyPath { get }
  /// The key path of each property that leads there without a detour, which is the one that the schema has.
  static var _$fieldKeyPaths: [AnyKeyPath: AnyKeyPath] { get }
  /// Whether the model is an actor whose jobs run where its context does.
  static var _$runsInContext: Bool { get }
  /// What runs those jobs; nil for other models.
  var _$execution: _PersistenceRuntime.ForwardingExecutor? { get }

  // What generated code adds. A conformance written by hand gets these from its backing data.

  /// Whether `@Model` wrote the conformance.
  static var _$isGenerated: Bool { get }
  /// Whether initialisers note the relationships that they set; where they do not, any new object may have some.
  static var _$marksInitialRelationships: Bool { get }
  /// The address of the state of the instance, valid while the instance lives.
  var _$state: UnsafeMutablePointer<_PersistenceRuntime.ModelState> { get }
  /// Does something to the slot of a relationship.
  func _$relate(_ edit: inout _PersistenceRuntime.RelationshipSlotOperation, _ position: Int)
  /// Makes an instance that no row is of: it reads as the defaults of its properties.
  static func _$standIn() -> Self
  /// Makes an instance of the current row.
  static func _$make(_ row: inout _PersistenceRuntime.RowReader) -> Self
  /// Takes the values of the current row that differ.
  func _$read(_ row: inout _PersistenceRuntime.RowReader)
  /// Writes the values to the current row.
  func _$write(_ row: inout _PersistenceRuntime.RowWriter)
  /// Makes or refreshes an instance for every row.
  static func _$decode(_ rows: inout _PersistenceRuntime.RowReader) throws
  /// Writes a row for every instance of the session.
  static func _$encode(_ rows: inout _PersistenceRuntime.RowWriter) throws
}

extension PersistentModel {
  /// The identity of the model, which stays valid, equal and hashable when the model is saved for the first time.
  public var persistentModelID: PersistentIdentifier {
    PersistentIdentifier(of: self)
  }

  /// The identity of the model, unless it declares an `id` of its own.
  public var id: PersistentIdentifier { persistentModelID }

  /// Whether the model has changes that the store does not have.
  public var hasChanges: Bool {
    let state = _$state
    return state.pointee.dirty != 0 || !state.pointee.flags.isDisjoint(with: [.inserted, .deleted])
  }

  /// Whether the model waits to be deleted, or its row is gone.
  public var isDeleted: Bool {
    !_$state.pointee.flags.isDisjoint(with: [.deleted, .gone])
  }

  /// Two models are equal when they are one: a context has one instance per row.
  ///
  /// Instances of different contexts that stand for the same row are equal too.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs === rhs || lhs.persistentModelID == rhs.persistentModelID
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(persistentModelID)
  }
}
