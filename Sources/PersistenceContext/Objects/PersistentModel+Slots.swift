import Observation
import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

// Functions that the accessors of generated code call.

extension PersistentModel {
  /// Marks a property as changed. For generated code.
  ///
  /// Not `@inlinable`: the setter of each property of each model would get a copy of this code, which has work to do
  /// only at the first change after a save. The same applies to other functions below.
  public func _$willChange(_ position: Int) {
    let state = _$state
    let bit = PropertyMask.bit(position)
    if osd_is_recording() { _$recordChange(at: position) }
    guard state.pointee.identityMap != nil, state.pointee.dirty & bit == 0 else { return }
    // All properties from the 64th on share one mask bit, so a save writes them together, and all must be loaded.
    if position >= PropertyMask.sharedPosition, state.pointee.flags.contains(.fault) {
      _ = _$fulfill()
      // The read may have failed for this property, which does not matter: the change replaces its value.
      state.pointee.forgetFailedReads { $0.position == position }
    }
    state.pointee.dirty |= bit
    if !state.pointee.flags.contains(.changed) { _$becomeChanged() }
  }

  /// Sets a property. For generated code.
  @inlinable
  public func _$assign<Value>(
    _ value: Value, at position: Int, keyPath: @autoclosure () -> KeyPath<Self, Value>,
    slot: () -> _PersistenceRuntime.Slot<Value>,
    store: (Value) -> Void
  ) {
    guard _$keepOriginal(slot, at: position) else { return }
    _$willChange(position)
    guard _$isObserved else { return store(value) }
    _$willSet(keyPath(), at: position)
    store(value)
    _$didSet(keyPath())
  }

  /// Notifies observers before an attribute is set. The attribute is already marked as changed. For generated code.
  public func _$willSet<Value>(_ keyPath: KeyPath<Self, Value>, at position: Int) {
    _$state.pointee.observation?.registrar.willSet(self, keyPath: keyPath)
    _$markAgain(position)
  }

  /// Prepares an attribute to be set. Returns false if the attribute must not be set. For generated code.
  ///
  /// Generated setters call it instead of ``_$assign(_:at:keyPath:slot:store:)`` for attributes with their own mask bit
  /// (the first 63 properties). Only this check is inlined, because each setter gets a copy of inlined code.
  @inlinable
  public func _$mayChange<Value>(_ slot: _PersistenceRuntime.Slot<Value>, at position: Int) -> Bool {
    if _$hasNothingToKeep(at: position) { return true }
    guard case .value(let value) = slot else { return _$mayChangeUnread(at: position) }
    _$prepareChange(from: value, at: position)
    return true
  }

  /// Returns true if nothing has to be recorded before a set: the attribute has already changed since the last save, or
  /// the object has no context. Always false while an undo manager records.
  @inlinable
  func _$hasNothingToKeep(at position: Int) -> Bool {
    guard !osd_is_recording() else { return false }
    let state = _$state
    return state.pointee.dirty & PropertyMask.bit(position) != 0
      || (state.pointee.primaryKey == 0 && state.pointee.identityMap == nil)
  }

  @usableFromInline
  func _$prepareChange<Value>(from value: Value, at position: Int) {
    _$keepOriginal(value, at: position)
    _$willChange(position)
  }

  @usableFromInline
  func _$mayChangeUnread(at position: Int) -> Bool {
    if _$isFirstChange(at: position), !_$mayReplaceUnread(position) { return false }
    _$willChange(position)
    return true
  }

  /// Begins an in-place change. Returns whether ``_$didModify(_:keyPath:_:)`` has work to do. For generated code.
  public func _$willModify<Value>(_ position: Int, keyPath: KeyPath<Self, Value>, _ value: Value) -> Bool {
    if _$cannotModify(position, keyPath) { return true }
    _$keepOriginal(value, at: position)
    return _$beginModification(position, keyPath: keyPath)
  }

  /// Returns true if the property could not be read. Its in-place change is then rejected and must be discarded.
  func _$cannotModify<Value>(_ position: Int, _ keyPath: KeyPath<Self, Value>) -> Bool {
    if position >= PropertyMask.sharedPosition, _$state.pointee.flags.contains(.fault) { _$loadShared(position) }
    return _$state.pointee.hasFailedReads && _$refusesModification(position, keyPath: keyPath)
  }

  func _$beginModification<Value>(_ position: Int, keyPath: KeyPath<Self, Value>) -> Bool {
    _$willChange(position)
    guard let box = _$state.pointee.observation else { return false }
    box.registrar.willSet(self, keyPath: keyPath)
    return true
  }

  /// Whether the running in-place change of a property was rejected.
  func _$isRefused(_ position: Int) -> Bool {
    guard _$state.pointee.hasExtras else { return false }
    return _$state.pointee.extras?.refusedChanges.last?.position == position
  }

  /// The value to store after an in-place change. For a relationship, without invalid members. For generated code.
  @_disfavoredOverload
  @inlinable
  public func _$accept<Value>(_ value: Value, at position: Int) -> Value {
    if _$state.pointee.dirty & PropertyMask.bit(position) == 0 { _$changeAgain(position) }
    return value
  }

  /// Ends an in-place change of a property. For generated code.
  @inlinable
  public func _$didModify<Value>(_ isObserved: Bool, keyPath: KeyPath<Self, Value>, _ value: Value) {
    if isObserved { _$endModification(keyPath) }
  }

  @usableFromInline
  func _$endModification<Value>(_ keyPath: KeyPath<Self, Value>) {
    if _$dropRefusedChange(keyPath) { return }
    _$state.pointee.observation?.registrar.didSet(self, keyPath: keyPath)
  }

  /// Adds the object to the changed objects of its context, unless it is new or deleted.
  @usableFromInline
  package func _$becomeChanged() {
    let state = _$state
    guard let changes = state.pointee.identityMap?.changes else { return }
    guard let context = changes.context else { return changes.noteChangeAtEnd(of: self) }
    // A save inserts a new object with all its values, and does not write a deleted object.
    guard state.pointee.flags.isDisjoint(with: [.inserted, .deleted, .gone]) else { return context.noteChange() }
    state.pointee.flags.insert(.changed)
    context.didChange(self, in: changes)
  }
}

// Empty slots. A getter that finds its slot empty reads the row.

extension PersistentModel {
  /// Reads a property whose slot is empty. Returns its default if the object has no row. For generated code.
  ///
  /// A getter cannot throw. After an error it returns the default of the property without storing it in the slot.
  /// Changes that may depend on the default are not saved (``FailedRead``).
  public func _$resolve<Value>(_ position: Int, slot: () -> _PersistenceRuntime.Slot<Value>, store: (Value) -> Void)
    -> Value
  {
    if case .value(let value) = slot() { return value }
    let failure = _$fulfill(position)
    if case .value(let value) = slot() {
      _$didRead(position)
      return value
    }
    // The slot is empty during an in-place change. Code that reads the property meanwhile must not fill the slot.
    if failure == nil, _$isDirty(position) { return _$originalValue(at: position) ?? _$default(position) }
    let value: Value = _$default(position)
    if let failure, let map = _$state.pointee.identityMap {
      _$noteFailedRead(position, failure, in: map)
    } else {
      store(value)
    }
    return value
  }

  /// Reads the row, and fills the empty slots. Returns the error if the read fails.
  @usableFromInline
  package func _$fulfill() -> (any Error)? {
    guard let map = _$state.pointee.identityMap, _$state.pointee.primaryKey != 0 else { return nil }
    do {
      try map.store.fulfill(self, in: map)
      return nil
    } catch {
      return error
    }
  }

  /// Reads the row for one property. Returns the error if the read fails or the property cannot hold the stored value.
  func _$fulfill(_ position: Int) -> (any Error)? {
    if let error = _$fulfill() { return error }
    guard let failure = _$state.pointee.failedRead(at: position), failure.isOfValue,
      let property = _$state.pointee.identityMap?.entity.properties[position]
    else { return nil }
    // Whether a relationship is readable is decided later, by the read of the related row.
    return property.isRelationship ? nil : failure.cause
  }

  /// Sets the defaults of an object that was created without them during decoding.
  func _$completeDefaults(in entity: EntityLayout) {
    guard _$state.pointee.flags.contains(.lacksDefaults) else { return }
    _$state.pointee.flags.remove(.lacksDefaults)
    for property in entity.properties { _ = self[keyPath: property.keyPath] }
  }

  /// Creates a placeholder for a deleted row. Its properties have their defaults.
  static func _$standIn(beside map: IdentityMap?) -> Self {
    guard let map = map.flatMap({ $0.store.identityMap(for: Self.self, beside: $0) }) else {
      return _$standIn()
    }
    return _$standIn(in: map, key: 0)
  }

  package static func _$standIn(in map: IdentityMap, key: Int64) -> Self {
    let model = NullRowReader.make(Self.self, in: map)
    // The placeholder is not registered: a later row with this key gets its own object.
    model._$state.pointee.identityMap = map
    model._$state.pointee.primaryKey = key
    model._$state.pointee.flags = .gone
    return model
  }

  /// Returns true if the row of the object is deleted, or if its context was released before a save inserted the row.
  var _$isDetached: Bool {
    let state = _$state
    guard let map = state.pointee.identityMap else { return false }
    return state.pointee.flags.contains(.gone) || (map.context == nil && state.pointee.primaryKey == 0)
  }

  /// Turns the object into a new object without a context. It keeps its current values.
  func _$becomeNew() {
    let state = _$state
    _ = _$failureToReadAll()
    state.pointee.token = nil
    state.pointee.becomeNew(self)
  }
}

// The values that getters return for properties without a value.

extension PersistentModel {
  /// The default of a property or, if it has none, a placeholder value of its type.
  func _$default<Value>(_ position: Int) -> Value {
    _$freshDefault(position) ?? _$placeholder(position)
  }

  /// The default of a property, computed again as in an initialiser; nil if the property has none.
  func _$freshDefault<Value>(_ position: Int) -> Value? {
    let metadata = Self.schemaMetadata
    return position < metadata.count ? metadata[position].defaultValue as? Value : nil
  }

  private func _$placeholder<Value>(_ position: Int) -> Value {
    guard let map = _$state.pointee.identityMap else { return Placeholder.value(of: .unnamed) }
    return Placeholder.value(of: map.entity.properties[position])
  }
}

extension PersistentModel {
  /// Reads a property that is stored outside of the row or encrypted, if its slot is empty. For generated code.
  ///
  /// A getter cannot throw. After an error it returns the default of the property without storing it in the slot.
  /// Changes that may depend on the default are not saved (``FailedRead``).
  public func _$resolveOutOfRow<Value>(
    _ position: Int, slot: () -> _PersistenceRuntime.Slot<Value>, store: (Value) -> Void,
    row: (inout _PersistenceRuntime.RowReader) -> _PersistenceRuntime.Slot<Value>
  ) -> Value {
    if case .value(let value) = slot() { return value }
    let state = _$state
    guard let map = state.pointee.identityMap, state.pointee.primaryKey != 0,
      !state.pointee.flags.contains(.gone)
    else { return _$resolve(position, slot: slot, store: store) }
    do {
      if case .value(let value) = try map.store.slot(of: self, at: position, in: map, row) {
        store(value)
        _$didRead(position)
        return value
      }
      _$noteMissingRow()
      return _$resolve(position, slot: slot, store: store)
    } catch {
      _$noteFailedRead(position, error, in: map)
      return _$default(position)
    }
  }
}

extension StoreCoordinator {
  /// Reads one property from the row of an object. Returns nil if the row does not exist.
  func slot<T: PersistentModel, Value>(
    of object: T, at position: Int, in map: IdentityMap, _ read: (inout RowReader) -> Slot<Value>
  ) throws -> Slot<Value>? {
    let property = map.entity.properties[position]
    let request = FetchRequest(
      entity: map.entity, selection: .key(object._$state.pointee.primaryKey), mask: property.bit)
    return try rereading { _ in
      var slot: Slot<Value>?
      try fetch(request, in: map.context?.openTransaction(of: self)) { rows in
        let session = ReadSession(identityMap: map, readsExternalValues: true, error: rows.error)
        try withExtendedLifetime(session) {
          var reader = RowReader(rows, session: session, mask: request.mask)
          guard try reader.next() else { return }
          reader.column = 1
          slot = read(&reader)
        }
        try session.throwFailure()
      }
      return slot
    }
  }

  /// Repeats a fetch if code that it executes, such as an observer, saves the context. Without the repetition, the
  /// objects would get values from before the save.
  ///
  /// - Parameter fetch: The fetch. Its argument is true if it is repeated because a file is missing.
  @inline(__always)
  func rereading<Result>(in context: ModelContext?, _ fetch: (_ isRepeated: Bool) throws -> Result) throws -> Result {
    var rest = 3
    while true {
      let count = context?.saveCount
      let result = try rereading(fetch)
      guard let context, context.saveCount != count else { return result }
      // Repetitions are limited, because an observer may save on each notification. A fetch inside an outer read is not
      // repeated, because it would use the same old snapshot. In both cases, the context reads everything again later.
      guard rest > 0, !isReadingHere else {
        context.inbox.putBack(.unknown)
        return result
      }
      rest -= 1
    }
  }

  /// Repeats a fetch once if the file of an external value is missing. Another context may have replaced the value
  /// during the fetch, so that the row now refers to another file.
  ///
  /// - Parameter fetch: The fetch. Its argument is true if it is repeated.
  package func rereading<Result>(_ fetch: (_ isRepeated: Bool) throws -> Result) throws -> Result {
    do {
      return try fetch(false)
    } catch let error as SwiftDataError where error.underlyingError is UnreadableExternalValue {
      return try fetch(true)
    }
  }
}

// Reads of relationships.

extension PersistentModel {
  /// Reads an optional to-one relationship whose reference is not in the object's own row, or whose object cannot be
  /// created before its row is read. For generated code.
  public func _$resolve<Destination: PersistentModel>(
    _ position: Int, slot: () -> _PersistenceRuntime.Slot<Destination?>, store: (Destination?) -> Void
  ) -> Destination? {
    if case .value(let value) = slot() { return value }
    let state = _$state
    guard let map = state.pointee.identityMap, state.pointee.primaryKey != 0 else {
      return (_$freshDefault(position) as Destination??) ?? nil
    }
    return _$read(position, in: map, standIn: nil) {
      if let value = try _$loaded(position, in: map, slot: slot) { return value }
      if map.store.loadReferences(at: position, to: Destination.self, of: self, in: map),
        case .value(let value) = slot()
      {
        return value
      }
      let value = try map.store.related(Destination.self, toOne: position, of: state.pointee.primaryKey, in: map)
      if !_$modifiesReferences { store(value) }
      return value
    }
  }

  /// Reads a required to-one relationship. Returns a placeholder if it cannot be read or is empty. For generated code.
  public func _$resolve<Destination: PersistentModel>(
    _ position: Int, slot: () -> _PersistenceRuntime.Slot<Destination>, store: (Destination) -> Void
  ) -> Destination {
    if case .value(let value) = slot() { return value }
    let state = _$state
    let known: Destination? = _$read(position, in: state.pointee.identityMap, standIn: nil) {
      guard let map = state.pointee.identityMap, state.pointee.primaryKey != 0 else { return nil }
      if let value = try _$loaded(position, in: map, slot: slot) { return value }
      if map.store.loadReferences(at: position, to: Destination.self, of: self, in: map),
        case .value(let value) = slot()
      {
        return value
      }
      let value = try map.store.related(Destination.self, toOne: position, of: state.pointee.primaryKey, in: map)
      if let value, !_$modifiesReferences { store(value) }
      return value
    }
    return known ?? Destination._$standIn(beside: state.pointee.identityMap)
  }

  /// Reads a to-many relationship from the store. For generated code.
  public func _$resolve<Destination: PersistentModel>(
    _ position: Int, slot: () -> _PersistenceRuntime.Slot<[Destination]>, store: ([Destination]) -> Void
  ) -> [Destination] {
    if case .value(let value) = slot() { return value }
    let state = _$state
    guard let map = state.pointee.identityMap else { return _$freshDefault(position) ?? [] }
    if let members: [Destination] = _$modifiedValue(at: position) { return members }
    guard state.pointee.primaryKey != 0 else { return [] }
    return _$read(position, in: map, standIn: []) { try _$loaded(position, in: map, slot: slot) ?? [] }
  }

  /// Reads an optional to-many relationship from the store. It is never nil for a saved object. For generated code.
  public func _$resolve<Destination: PersistentModel>(
    _ position: Int, slot: () -> _PersistenceRuntime.Slot<[Destination]?>, store: ([Destination]?) -> Void
  ) -> [Destination]? {
    if case .value(let value) = slot() { return value }
    let state = _$state
    guard let map = state.pointee.identityMap else { return _$freshDefault(position) ?? nil }
    if let members: [Destination] = _$modifiedValue(at: position) { return members }
    guard state.pointee.primaryKey != 0 else { return [] }
    return _$read(position, in: map, standIn: []) { try _$loaded(position, in: map, slot: slot) ?? [] }
  }

  /// The objects of a to-many relationship that is being changed in place; nil if it is not.
  private func _$modifiedValue<Destination: PersistentModel>(at position: Int) -> [Destination]? {
    _$modifiedMembers(at: position)?.map { unsafeDowncast($0, to: Destination.self) }
  }

  /// Reads a relationship. If the read fails, records the error and returns `standIn` (``FailedRead``).
  private func _$read<Value>(
    _ position: Int, in map: IdentityMap?, standIn: Value, _ read: () throws -> Value
  ) -> Value {
    do {
      let value = try read()
      _$didRead(position)
      return value
    } catch {
      if let map { _$noteFailedRead(position, error, in: map) }
      return standIn
    }
  }

  /// The value of a relationship before it is set. If the slot is empty, the value is read from the store. For a new or
  /// deleted object with an empty slot, the result is nil.
  func _$known<Value>(_ slot: Slot<Value>, resolve: () -> Value) -> Value? {
    if case .value(let value) = slot { return value }
    return _$state.pointee.primaryKey == 0 || isDeleted ? nil : resolve()
  }

  /// Reads the row and, if that does not fill the slot, the relationship. Returns nil if the slot is still empty.
  private func _$loaded<Value>(_ position: Int, in map: IdentityMap, slot: () -> Slot<Value>) throws -> Value? {
    if _$state.pointee.flags.contains(.fault), let failure = _$fulfill(position) { throw failure }
    if case .value(let value) = slot() { return value }
    guard let relationship = map.entity.relationship(at: position), relationship.storage != .column else { return nil }
    if _$state.pointee.flags.contains(.deleted), let context = map.context, !context.cascadedRows.isEmpty {
      context.readCascadedRows { $0.owner === self }
      if case .value(let value) = slot() { return value }
    }
    try map.store.loadMembers(relationship, of: self, in: map)
    if case .value(let value) = slot() { return value }
    return nil
  }
}

// Records the value that a property has before its first change since the last save.

extension PersistentModel {
  /// Records the value of a slot before a change. An empty slot is not read: the change cannot depend on its value.
  ///
  /// - Returns: False if the property may not be set, because it could not be read.
  @inlinable
  func _$keepOriginal<Value>(_ slot: () -> Slot<Value>, at position: Int) -> Bool {
    guard _$isFirstChange(at: position) else { return true }
    if position >= PropertyMask.sharedPosition, _$state.pointee.flags.contains(.fault), !_$canBeWritten(position) {
      return false
    }
    guard case .value(let value) = slot() else { return _$mayReplaceUnread(position) }
    _$noteOriginal(value, at: position)
    return true
  }

  func _$keepOriginal<Value>(_ value: Value, at position: Int) {
    guard _$isFirstChange(at: position) else { return }
    _$noteOriginal(value, at: position)
  }

  func _$keepOriginalReference(at position: Int) {
    guard _$isFirstChange(at: position), let relationship = _$relationship(at: position), !relationship.isToMany else {
      return
    }
    let edit = _$edit(.read, at: position)
    guard edit.isLoaded else { return }
    let object = edit.objects.first.map { EntityLayout.model($0, as: relationship.destinationType) }
    _$noteOriginal(OriginalReference(object: object), at: position)
  }

  @inlinable
  func _$isFirstChange(at position: Int) -> Bool {
    let state = _$state
    let isShared = position >= PropertyMask.sharedPosition
    return state.pointee.primaryKey != 0 && (state.pointee.dirty & PropertyMask.bit(position) == 0 || isShared)
  }

  @usableFromInline
  func _$noteOriginal(_ value: Any, at position: Int) {
    let state = _$state
    guard let changes = state.pointee.identityMap?.changes, changes.context != nil || changes.endingContext != nil,
      state.pointee.flags.isDisjoint(with: [.inserted, .gone])
    else { return }
    changes.originals.note(value, of: self, at: position)
  }
}

extension PersistentModel {
  /// Called before a relationship of the object is used: sets inverses that the initialiser left out, and applies
  /// recorded removals to the lists.
  @inlinable
  func _$applyLinks() {
    if !_$hasAppliedLinks { _$applyLinksNow() }
  }

  @inlinable
  var _$hasAppliedLinks: Bool { _$state.pointee.flags.isDisjoint(with: [.unlinked, .stale]) }
}

// Generated initialisers call these functions after they have set a property that may be a relationship.

extension ModelState {
  /// For generated code.
  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: Destination) {
    flags.insert(.unlinked)
    // The state of an actor that runs on another executor must not be read here.
    guard value._$isHere else { return }
    if value._$state.pointee.identityMap != nil { flags.insert(.reaching) }
  }

  /// For generated code.
  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: Destination?) {
    if let value { _$didInitialize(value) }
  }

  /// For generated code.
  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: [Destination]) {
    for object in value { _$didInitialize(object) }
  }

  /// For generated code.
  public mutating func _$didInitialize<Destination: PersistentModel>(_ value: [Destination]?) {
    if let value { _$didInitialize(value) }
  }

  /// For generated code.
  @_disfavoredOverload
  @inlinable
  public mutating func _$didInitialize<Value>(_ value: Value) {}
}
