import Observation
import PersistenceSupport

/// A class whose instances a store persists. Apple's protocol.
///
/// `@Model` generates the conformance; a hand-written conformance stores the values in ``BackingData``. A model belongs
/// to at most one ``ModelContext``. It is not Sendable: use it in the isolation of that context only, and send its
/// ``persistentModelID`` instead.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// The root class of the model's hierarchy.
  associatedtype Root: PersistentModel = Self

  /// Creates an instance with the values of backing data.
  ///
  /// - Parameter backingData: The values. If the model is an actor, the compiler does not check that the caller may
  ///   pass the values to the actor's isolation, because the conformance is `@preconcurrency`.
  init(backingData: any BackingData<Self>)

  /// The values of the instance. Setting this property copies the new values into the instance.
  var persistentBackingData: any BackingData<Self> { get set }

  /// The schema metadata of the stored properties.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }

  // Generated for models that are isolated to an actor.

  /// A type with the model's properties under the same names, without isolation. Only the library creates instances.
  associatedtype _$Fields = _PersistenceRuntime._$NoFields
  /// The key path from the model to its fields.
  static var _$fieldsPath: AnyKeyPath { get }
  /// Maps the key path of each field to the model's own key path of the same property, which the schema uses.
  static var _$fieldKeyPaths: [AnyKeyPath: AnyKeyPath] { get }
  /// Whether the model is an actor that runs in the isolation of its context.
  static var _$runsInContext: Bool { get }
  /// The executor of an actor that runs in the isolation of its context; nil for other models.
  var _$execution: _PersistenceRuntime.ForwardingExecutor? { get }

  // Generated. A hand-written conformance gets these members from its backing data.

  /// Whether `@Model` generated the conformance.
  static var _$isGenerated: Bool { get }
  /// Whether initialisers record that they set relationships. If not, every inserted object is checked for them.
  static var _$marksInitialRelationships: Bool { get }
  /// The address of the instance's state, valid while the instance lives.
  var _$state: UnsafeMutablePointer<_PersistenceRuntime.ModelState> { get }
  /// Performs an operation on the slot (the stored value) of a relationship.
  func _$relate(_ edit: inout _PersistenceRuntime.RelationshipSlotOperation, _ position: Int)
  /// Creates an instance without a row, with the defaults of its properties.
  static func _$standIn() -> Self
  /// Creates an instance with the values of the reader's current row.
  static func _$make(_ row: inout _PersistenceRuntime.RowReader) -> Self
  /// Updates the properties whose values differ from the reader's current row.
  func _$read(_ row: inout _PersistenceRuntime.RowReader)
  /// Writes the values to the writer's current row.
  func _$write(_ row: inout _PersistenceRuntime.RowWriter)
  /// Creates or refreshes an instance for every row.
  static func _$decode(_ rows: inout _PersistenceRuntime.RowReader) throws
  /// Writes a row for every instance of the session.
  static func _$encode(_ rows: inout _PersistenceRuntime.RowWriter) throws
}

extension PersistentModel {
  /// The identity of the model. An identifier obtained before the first save stays valid, with the same hash.
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

  /// Whether the next save deletes the model, or its row is already deleted.
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

extension _PersistenceRuntime {
  /// The state that every model stores inline, in addition to the slots of its properties.
  ///
  /// It retains the identity map in which the object is registered, and unregisters the object on deallocation.
  @frozen
  public struct ModelState: ~Copyable {
    // Every object has this state. Keep it small, since iterating over many objects loads it.

    /// The object's identity map; nil before the insertion.
    @usableFromInline package var identityMap: IdentityMap?
    /// The key of the row; 0 before the first save.
    @usableFromInline package var primaryKey: Int64 = 0
    /// The properties that differ from the row, as a ``PropertyMask``.
    @usableFromInline package var dirty: UInt64 = 0
    /// The object's ``FetchGroup`` or, if ``hasExtras``, its ``ModelExtras``, which then contain the group.
    @usableFromInline var companion: AnyObject?
    @usableFromInline package var flags: Flags
    /// Whether ``companion`` is ``ModelExtras``.
    @usableFromInline package var hasExtras = false
    /// Whether an observer has read a property; if so, the extras have a registrar.
    @usableFromInline package var isObserved = false
    /// Whether the identity map has the object under its key.
    @usableFromInline package var isRegistered = false
    /// Whether reads of properties failed; the extras list them.
    @usableFromInline package var hasFailedReads = false

    @inlinable
    public init() {
      // An object that the program's code creates while rows are decoded gets its defaults only at the first read.
      flags = _PersistenceRuntime._$isDecoding() ? .lacksDefaults : []
    }

    deinit {
      if isRegistered, let identityMap { identityMap.forgetDying(at: primaryKey) }
    }

    /// Removes the object at an address from the identity map.
    package mutating func withdraw(_ address: UnsafeMutableRawPointer) {
      if isRegistered, let identityMap { identityMap.forget(address, key: primaryKey) }
      isRegistered = false
    }

    /// Resets the state to that of an object that was never inserted.
    package mutating func becomeNew(_ object: AnyObject) {
      identityMap?.flush()
      withdraw(Unmanaged.passUnretained(object).toOpaque())
      noteLeaving()
      identityMap = nil
      primaryKey = 0
      dirty = 0
      flags = []
      group = nil
      hasFailedReads = false
      extras?.failedReads = []
    }

    @frozen
    @usableFromInline
    package struct Flags: OptionSet, Sendable {
      @usableFromInline package var rawValue: UInt32

      @inlinable
      package init(rawValue: UInt32) { self.rawValue = rawValue }

      /// The next save inserts the object.
      @usableFromInline package static var inserted: Flags { Flags(rawValue: 1) }
      /// The next save deletes the object.
      @usableFromInline package static var deleted: Flags { Flags(rawValue: 2) }
      /// The context lists the object as changed.
      @usableFromInline package static var changed: Flags { Flags(rawValue: 4) }
      /// The object's row is deleted.
      @usableFromInline package static var gone: Flags { Flags(rawValue: 8) }
      /// The object was created without the defaults of its properties.
      @usableFromInline package static var lacksDefaults: Flags { Flags(rawValue: 16) }
      /// The object has slots that are not loaded.
      @usableFromInline package static var fault: Flags { Flags(rawValue: 32) }
      /// The running transaction has changed the object.
      @usableFromInline package static var touched: Flags { Flags(rawValue: 64) }
      /// The object's initialiser set relationships whose inverses are not updated yet.
      @usableFromInline package static var unlinked: Flags { Flags(rawValue: 128) }
      /// The object was inserted because an object of the context refers to it, not by a call of `insert`.
      @usableFromInline package static var joined: Flags { Flags(rawValue: 512) }
      /// The object's initialiser set a relationship to an object that belongs to a context.
      @usableFromInline package static var reaching: Flags { Flags(rawValue: 1024) }
      /// Another context or process deleted the object's row.
      @usableFromInline package static var lost: Flags { Flags(rawValue: 2048) }
      /// The number of the first bit in the range that records which required properties the initialiser has set.
      @usableFromInline package static var firstRequired: UInt32 { 12 }
      /// The object's to-many relationships still contain removed objects; the next read removes them.
      @usableFromInline package static var stale: Flags { Flags(rawValue: 256) }
    }
  }
}

/// State that few objects have, stored out of line so that other objects stay small.
@usableFromInline
package final class ModelExtras {
  /// The objects that were fetched together with this one.
  @usableFromInline var group: FetchGroup?
  /// Whether the object left a context. Becomes false when its relationships are updated or the object is saved.
  var hasLeft = false
  /// The object's observation registrar; nil until an observer reads a property.
  @usableFromInline var observation: ObservationBox?
  /// The token of an identifier that was created before the object had a row.
  var token: IdentifierToken?
  /// The row of a deleted object, which the object gets again if it is inserted again.
  package var formerRow: (entity: StoreEntity, key: Int64)?
  /// The changes of to-many relationships since the last save.
  package var lists: ContiguousArray<ListChanges> = []
  /// For each in-place change of a to-one relationship in progress, the object before the change; innermost last.
  package var modified: ContiguousArray<AnyObject?> = []
  /// The properties whose last read failed. See ``ModelState/hasFailedReads``.
  package var failedReads: ContiguousArray<FailedRead> = []
  /// The properties with a rejected in-place change in progress, whose end discards the value; innermost last.
  package var refusedChanges: ContiguousArray<(position: Int, keyPath: AnyKeyPath)> = []

  init(group: FetchGroup?) {
    self.group = group
  }

  /// The changes of the relationship at a position; nil if there are none.
  package func list(at position: Int) -> ListChanges? {
    for list in lists where list.position == position { return list }
    return nil
  }
}

extension ModelState {
  @usableFromInline package var extras: ModelExtras? {
    guard hasExtras, let companion else { return nil }
    // `hasExtras` is the type tag of `companion`.
    return unsafeDowncast(companion, to: ModelExtras.self)
  }

  /// The objects that were fetched together with this one; nil if the entity has no relationships to prefetch.
  @inlinable package var group: FetchGroup? {
    get {
      guard let companion else { return nil }
      return hasExtras ? extras?.group : unsafeDowncast(companion, to: FetchGroup.self)
    }
    set {
      if hasExtras { setGroupOfExtras(newValue) } else { companion = newValue }
    }
  }

  @usableFromInline
  func setGroupOfExtras(_ group: FetchGroup?) { extras?.group = group }

  package var token: IdentifierToken? {
    get { extras?.token }
    set {
      guard newValue != nil || extras != nil else { return }
      ensureExtras().token = newValue
    }
  }

  package mutating func ensureExtras() -> ModelExtras {
    if let extras { return extras }
    let made = ModelExtras(group: group)
    companion = made
    hasExtras = true
    return made
  }

  /// The property's last read failure; nil if its last read succeeded or it was never read.
  package func failedRead(at position: Int) -> FailedRead? {
    guard hasFailedReads else { return nil }
    return extras?.failedReads.first { $0.position == position }
  }

  /// The changes of the relationship at a position, created if necessary.
  package mutating func listChanges(at position: Int) -> ListChanges {
    let extras = ensureExtras()
    if let known = extras.list(at: position) { return known }
    let made = ListChanges(position: position)
    extras.lists.append(made)
    return made
  }

  /// Discards the recorded changes of relationships after a save or rollback.
  package mutating func forgetListChanges() {
    flags.remove(.stale)
    guard let extras, !extras.lists.isEmpty else { return }
    let former = extras.lists
    extras.lists = []
    // Deinitialisers of removed objects may read `extras.lists`, so they run after its mutation.
    withExtendedLifetime(former) {}
  }

  // MARK: Leaving a context

  /// Records that the object leaves its context, if the object has relationships; see ``hasLeft``.
  package mutating func noteLeaving() {
    if identityMap?.entity.hasRelationships == true { ensureExtras().hasLeft = true }
  }

  /// Whether the object left a context and has not been saved since. Its to-many relationships may then contain objects
  /// whose inverse relationship does not contain this object.
  package var hasLeft: Bool { extras?.hasLeft == true }

  /// Records that the object's relationships agree with their inverses again.
  package mutating func forgetLeaving() { extras?.hasLeft = false }
}

// Generated accessors call these functions to report reads and changes to observers.

extension PersistentModel {
  /// Whether a read of a loaded slot needs only the slot's value, because no observer tracks the read. This function
  /// calls nothing that could release an object, so a loop need not retain each of its objects.
  @inlinable
  public func _$isUntracked<Value>(_ keyPath: @autoclosure () -> KeyPath<Self, Value>) -> Bool {
    !isReadingTracked()
  }

  /// Whether an observer has read a property. For generated code.
  @inlinable
  public var _$isObserved: Bool { _$state.pointee.isObserved }

  /// Notifies observers after a change of an attribute. For generated code.
  public func _$didSet<Value>(_ keyPath: KeyPath<Self, Value>) {
    _$state.pointee.observation?.registrar.didSet(self, keyPath: keyPath)
  }

  /// Reports a read of a property to observers.
  @inlinable
  public func _$access<Value>(_ keyPath: @autoclosure () -> KeyPath<Self, Value>) {
    if isReadingTracked() { _$noteAccess(keyPath()) }
  }

  /// Registers a read with the object's observation registrar, if reads are tracked.
  @usableFromInline
  package func _$noteAccess<Value>(_ keyPath: KeyPath<Self, Value>) {
    guard confirmTracking() else { return }
    _$state.pointee.ensureObservation().registrar.access(self, keyPath: keyPath)
  }

  /// Runs a mutation of a property between the `willSet` and `didSet` notifications of observers.
  @inlinable
  public func _$withMutation<Value, Result>(
    _ keyPath: @autoclosure () -> KeyPath<Self, Value>, _ mutation: () throws -> Result
  ) rethrows -> Result {
    guard let box = _$state.pointee.observation, !box.isAnnounced else { return try mutation() }
    return try box.registrar.withMutation(of: self, keyPath: keyPath(), mutation)
  }

  /// Applies the store's new value of a property and notifies observers. Not inlined: such changes are rare, and
  /// inlining would add a copy of this code for each property of each model.
  public func _$notify<Value>(_ keyPath: @autoclosure () -> KeyPath<Self, Value>, _ mutation: () -> Void) {
    guard let box = _$state.pointee.observation, !box.isAnnounced else { return mutation() }
    let (path, known) = (keyPath(), _$state.pointee.dirty)
    box.registrar.willSet(self, keyPath: path)
    let set = _$state.pointee.dirty & ~known
    if set != 0, let property = _$state.pointee.identityMap?.entity.property(at: path),
      property.position < PropertyMask.sharedPosition, set & PropertyMask.bit(property.position) != 0
    {
      _$keepChange(of: property, at: path, mutation)
    } else {
      mutation()
    }
    box.registrar.didSet(self, keyPath: path)
  }

  /// Applies the store's value, then again the value that an observer set in `willSet`. A save then finds both changes.
  private func _$keepChange<Value>(
    of property: PropertyLayout, at path: KeyPath<Self, Value>, _ mutation: () -> Void
  ) {
    // A to-many relationship has no column, and its changes are recorded individually.
    guard _$state.pointee.identityMap?.entity.relationship(at: property.position)?.isToMany != true else { return }
    let value = self[keyPath: path]
    mutation()
    if let path = path as? ReferenceWritableKeyPath<Self, Value> { self[keyPath: path] = value }
  }
}

extension ModelState {
  /// The object's observation registrar; nil if it was never observed.
  @inlinable package var observation: ObservationBox? { isObserved ? extras?.observation : nil }

  /// Gives the object a registrar on the first observed read. The object keeps the registrar in another context.
  mutating func ensureObservation() -> ObservationBox {
    if let observation { return observation }
    let box = identityMap?.observation.take() ?? ObservationBox()
    ensureExtras().observation = box
    isObserved = true
    return box
  }
}

// Isolated models: classes isolated to a global actor, and models that are actors. Other models use these defaults.
//
// Every model has the requirements for isolation, because a separate protocol is impossible: the compiler crashes with
// an assertion if a subclass inherits only some of the conformances that the macro declares.

extension PersistentModel {
  public static var _$fieldsPath: AnyKeyPath { \Self.self }

  public static var _$fieldKeyPaths: [AnyKeyPath: AnyKeyPath] { [:] }

  public static var _$runsInContext: Bool { false }

  public var _$execution: _PersistenceRuntime.ForwardingExecutor? { nil }

  /// Returns the key path of an isolated property, for API that takes key paths of models: `propertiesToFetch`,
  /// `inverse`, and the `#Index` of another model. Ours.
  ///
  /// A literal such as `\Note.body` is isolated to the actor, and the compiler rejects it elsewhere. This key path
  /// bypasses the isolation, like `\Note._body` in predicates and sorts. Do not read a model with it.
  ///
  /// - Parameter field: The key path of the property in the model's fields, such as `\.body`.
  /// - Returns: The key path of the property, usable in any isolation.
  public static func keyPath<Value>(
    _ field: any KeyPath<_$Fields, Value> & Sendable
  ) -> any KeyPath<Self, Value> & Sendable {
    let start = unsafe unsafeDowncast(_$fieldsPath, to: KeyPath<Self, _$Fields>.self)
    let known = _$fieldKeyPaths[field as AnyKeyPath] as? KeyPath<Self, Value>
    let path = known ?? start.appending(path: field as KeyPath<_$Fields, Value>)
    // Both parts are Sendable, so their composition is Sendable; the type system infers that for literals only.
    return unsafe unsafeBitCast(path, to: (any KeyPath<Self, Value> & Sendable).self)
  }
}

extension _PersistenceRuntime {
  /// Returns the inverse that a relationship declares. The inverse's model may be isolated to an actor.
  public static func _$inverse<T: PersistentModel, Value>(
    _ model: T.Type, _ keyPath: any KeyPath<T, Value> & Sendable
  ) -> AnyKeyPath { keyPath }

  public static func _$inverse<T: PersistentModel, Value>(
    _ model: T.Type, _ field: any KeyPath<T._$Fields, Value> & Sendable
  ) -> AnyKeyPath { T.keyPath(field) }

  /// The fields type of a model that is not isolated. Such a model needs no key paths of fields.
  public enum _$NoFields {}

  // The members of isolated models. They replace the nonisolated members of the protocol's extension.

  public static func _$hasChanges<T: PersistentModel>(of model: T) -> Bool { model.hasChanges }
  public static func _$isDeleted<T: PersistentModel>(of model: T) -> Bool { model.isDeleted }
}

extension ModelState {
  /// The state of a new isolated model. It has an identifier from the start, which code of any isolation may read.
  public init<T: PersistentModel>(isolated type: T.Type) {
    self.init()
    if !_PersistenceRuntime._$isDecoding() { token = IdentifierToken(entityName: Schema.entityName(ofModel: type)) }
  }
}

extension PersistentModel {
  /// The primary key of the model's row; 0 without a row.
  package var _$rowKey: Int64 { _$state.pointee.primaryKey }
}
