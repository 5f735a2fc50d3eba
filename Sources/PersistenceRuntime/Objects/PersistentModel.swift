import Observation
import PersistenceSupport

/// A class whose instances a store persists. Apple's protocol.
///
/// `@Model` generates the conformance; a hand-written one stores its values in ``BackingData``. A model belongs to at
/// most one ``ModelContext`` and to the isolation of that context: it is not Sendable. Send its ``persistentModelID``
/// instead.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// The root class of the model's hierarchy.
  associatedtype Root: PersistentModel = Self

  /// Creates an instance with the values of backing data.
  ///
  /// - Parameter backingData: The values; `sending`, because a model that is an actor stores them.
  init(backingData: sending any BackingData<Self>)

  /// The values of the instance. Setting it copies the values.
  var persistentBackingData: any BackingData<Self> { get set }

  /// The schema metadata of the stored properties.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }

  // Generated for isolated models.

  /// The model's properties under the same names, without isolation. Only the library creates instances.
  associatedtype _$Fields = _PersistenceRuntime._$NoFields
  /// The key path from the model to its fields.
  static var _$fieldsPath: AnyKeyPath { get }
  /// The key path of each field, mapped to the equivalent direct key path of the schema.
  static var _$fieldKeyPaths: [AnyKeyPath: AnyKeyPath] { get }
  /// Whether the model is an actor that runs in the isolation of its context.
  static var _$runsInContext: Bool { get }
  /// The executor of such an actor; nil for other models.
  var _$execution: _PersistenceRuntime.ForwardingExecutor? { get }

  // Generated. A hand-written conformance gets these from its backing data.

  /// Whether `@Model` generated the conformance.
  static var _$isGenerated: Bool { get }
  /// Whether initialisers record the relationships that they set; if not, any new object may have some.
  static var _$marksInitialRelationships: Bool { get }
  /// The address of the instance's state, valid while the instance lives.
  var _$state: UnsafeMutablePointer<_PersistenceRuntime.ModelState> { get }
  /// Performs an operation on the slot of a relationship.
  func _$relate(_ edit: inout _PersistenceRuntime.RelationshipSlotOperation, _ position: Int)
  /// Creates an instance without a row, with the defaults of its properties.
  static func _$standIn() -> Self
  /// Creates an instance from the current row.
  static func _$make(_ row: inout _PersistenceRuntime.RowReader) -> Self
  /// Updates the values that differ from the current row.
  func _$read(_ row: inout _PersistenceRuntime.RowReader)
  /// Writes the values to the current row.
  func _$write(_ row: inout _PersistenceRuntime.RowWriter)
  /// Creates or refreshes an instance for every row.
  static func _$decode(_ rows: inout _PersistenceRuntime.RowReader) throws
  /// Writes a row for every instance of the session.
  static func _$encode(_ rows: inout _PersistenceRuntime.RowWriter) throws
}

extension PersistentModel {
  /// The identity of the model. An identifier obtained before the first save stays valid afterwards, with the same
  /// hash.
  public var persistentModelID: PersistentIdentifier {
    PersistentIdentifier(of: self)
  }

  /// The identity of the model, unless it declares its own `id`.
  public var id: PersistentIdentifier { persistentModelID }

  /// Whether the model has unsaved changes.
  public var hasChanges: Bool {
    let state = _$state
    return state.pointee.dirty != 0 || !state.pointee.flags.isDisjoint(with: [.inserted, .deleted])
  }

  /// Whether the next save deletes the model, or its row is deleted.
  public var isDeleted: Bool {
    !_$state.pointee.flags.isDisjoint(with: [.deleted, .gone])
  }

  /// Whether two instances represent the same model. A context has one instance per row; instances of different
  /// contexts for the same row are equal.
  ///
  /// - Parameters:
  ///   - lhs: An instance.
  ///   - rhs: Another instance.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs === rhs || lhs.persistentModelID == rhs.persistentModelID
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(persistentModelID)
  }
}
