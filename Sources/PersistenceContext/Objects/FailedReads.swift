import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

// Properties that could not be read. A flag lets objects without such properties skip this code.

extension PersistentModel {
  /// Records that a property could not be read.
  func _$noteFailedRead(_ position: Int, _ error: any Error, in map: IdentityMap) {
    let isNew = _$noteFailure(error, at: position, isSeen: true, in: map)
    map.noteReadFailure(error, isLogged: !isNew)
  }

  /// Removes the record of a failed read after a successful read.
  func _$didRead(_ position: Int) {
    guard _$state.pointee.hasFailedReads else { return }
    _$state.pointee.forgetFailedReads { $0.position == position }
    _$state.pointee.identityMap?.loggedReadFailure = nil
  }

  /// Removes the records of failed reads after a read of the row.
  func _$didReadRow(_ mask: UInt64) {
    guard _$state.pointee.hasFailedReads, let map = _$state.pointee.identityMap else { return }
    _$forgetFailedReads(in: mask, in: map)
    map.loggedReadFailure = nil
  }

  /// Records that the row is deleted, so that there is nothing to read.
  func _$noteMissingRow() {
    // The row was deleted elsewhere: a deletion of this context sets the flag.
    if !_$state.pointee.flags.contains(.gone) { _$state.pointee.identityMap?.noteMissingRow(of: self) }
    _$state.pointee.forgetFailedReads { _ in true }
  }

  /// Records that the values of a hand-written model are stale. The values cannot be removed from its backing data.
  func _$noteStaleValues(_ positions: Range<Int>, in map: IdentityMap) {
    let cause = map.context?.readFailure ?? SwiftDataError(.storeFailure, "the row could not be read")
    for position in positions where !map.entity.properties[position].columns.isEmpty {
      _$noteFailedRead(position, cause, in: map)
    }
  }

  // MARK: Changes

  /// Whether a property that is not loaded may be set.
  ///
  /// A set is rejected after a failed read, because the new value may depend on the default that replaced the stored
  /// value. It is also rejected if an undo needs the former value and the former value cannot be read.
  @usableFromInline
  func _$mayReplaceUnread(_ position: Int) -> Bool {
    guard let map = _$state.pointee.identityMap else { return true }
    if let restored = map.context?.restored, restored.object === self,
      restored.keyPath == map.entity.properties[position].keyPath
    {
      // A set by key path reads the property first. The restored value is a former value, so it does not depend on this
      // read, which may have failed. A value that an observer of the restoration sets may depend on the read.
      _$state.pointee.forgetFailedReads { $0.position == position }
      return true
    }
    let isUndoable = osd_is_recording() && map.context?.undoRecorder?.isRecording == true
    // After the error was reported, a set is allowed if a read succeeds: the program then sets the property knowingly.
    if isUndoable || _$state.pointee.failedRead(at: position)?.isReported == true {
      _ = self[keyPath: map.entity.properties[position].keyPath]
    }
    guard !_$refusesChange(at: position) else { return false }
    // The new value replaces a value that could not be read.
    _$state.pointee.forgetFailedReads { $0.position == position }
    return true
  }

  /// Rejects a change of a property that could not be read; false if the property was read.
  func _$refusesChange(at position: Int) -> Bool {
    let state = _$state
    guard let failure = state.pointee.failedRead(at: position), failure.isSeen,
      !state.pointee.flags.contains(.deleted), let map = state.pointee.identityMap, let context = map.context
    else { return false }
    // No value can depend on a dangling reference, and such a reference has no inverse to update.
    if failure.isOfValue, map.entity.relationship(at: position) != nil {
      state.pointee.forgetFailedReads { $0.position == position }
      return false
    }
    // The program knows that the stored value is unreadable, and replaces it.
    if failure.isReported, failure.isOfValue { return false }
    state.pointee.changeFailedRead(at: position) { $0.isRefused = true }
    context.refuse(changeOf: self, map.entity.properties[position], failure.cause)
    return true
  }

  /// Loads the properties that share a mask bit with a property; false if that fails and the change is rejected.
  @usableFromInline
  func _$canBeWritten(_ position: Int) -> Bool {
    guard let map = _$state.pointee.identityMap else { return true }
    if let error = _$fulfill() {
      _$noteFailedRead(position, error, in: map)
      return !_$refusesChange(at: position)
    }
    // An unreadable property itself may be set. The save throws until the other unreadable properties are set too.
    guard let failure = _$sharedFailure, _$state.pointee.failedRead(at: position) == nil, let context = map.context
    else { return true }
    context.refuse(changeOf: self, map.entity.properties[position], failure.cause)
    return false
  }

  /// The failed read of an unreadable value that a write of the properties with the same mask bit would overwrite.
  var _$sharedFailure: FailedRead? {
    guard _$state.pointee.hasFailedReads else { return nil }
    return _$state.pointee.extras?.failedReads.first { $0.position >= PropertyMask.sharedPosition && $0.isOfValue }
  }

  /// Loads the properties that share a mask bit with a property that is about to be changed in place.
  func _$loadShared(_ position: Int) {
    guard let map = _$state.pointee.identityMap, let error = _$fulfill() else { return }
    _$noteFailedRead(position, error, in: map)
  }

  // MARK: In-place changes

  /// Rejects an in-place change of a property that could not be read; false if the property was read.
  @usableFromInline
  func _$refusesModification(_ position: Int, keyPath: AnyKeyPath) -> Bool {
    guard let failure = _$state.pointee.failedRead(at: position), let map = _$state.pointee.identityMap,
      let context = map.context
    else { return false }
    _$state.pointee.changeFailedRead(at: position) { $0.isRefused = true }
    context.refuse(changeOf: self, map.entity.properties[position], failure.cause)
    _$state.pointee.ensureExtras().refusedChanges.append((position, keyPath))
    return true
  }

  /// Ends a rejected in-place change: the slot becomes empty again.
  func _$dropRefusedChange(_ keyPath: AnyKeyPath) -> Bool {
    guard let extras = _$state.pointee.extras, let refused = extras.refusedChanges.last, refused.keyPath == keyPath,
      let map = _$state.pointee.identityMap
    else { return false }
    extras.refusedChanges.removeLast()
    if map.entity.properties[refused.position].isRelationship {
      _ = _$edit(.release, at: refused.position)
    } else {
      NullRowReader.release(refused.position..<refused.position + 1, of: self, in: map)
    }
    return true
  }

  /// Reads all values of an object that can be read. Returns the first error.
  func _$failureToReadAll() -> (any Error)? {
    guard let map = _$state.pointee.identityMap else { return nil }
    let (flags, relationships) = (_$state.pointee.flags, map.entity.relationships)
    // Lists of a deleted row are empty. They do not contain the members of a later row with the same key.
    let isRead = flags.contains(.gone) || relationships.allSatisfy { _$edit(.find, at: $0.position).isLoaded }
    guard !isRead || flags.contains(.fault) || map.entity.hasExternal else { return nil }
    var first: (any Error)?
    for property in map.entity.properties {
      _ = self[keyPath: property.keyPath]
      if first == nil { first = _$state.pointee.failedRead(at: property.position)?.cause }
    }
    return first
  }
}

extension IdentityMap {
  /// Executes code that reads properties, and throws if one of them returned a default instead of an unreadable value.
  package func reading<Result>(_ body: () throws -> Result) throws -> Result {
    guard let context else { return try body() }
    context.readFailure = nil
    let result: Result
    do {
      result = try body()
    } catch {
      throw context.readFailure ?? error
    }
    if let failure = context.readFailure { throw failure }
    return result
  }

  /// Records an error of a read for `reading(_:)`, and logs it. Repeated errors with the same text are logged once.
  ///
  /// - Parameter isLogged: Whether the error was logged before.
  package func noteReadFailure(_ error: any Error, isLogged: Bool = false) {
    context?.readFailure = error
    let text = "\(error)"
    guard !isLogged, loggedReadFailure != text else { return }
    loggedReadFailure = text
    store.logger.error("reading \(entity.name) failed, and is tried again when it is next asked for: \(error)")
  }
}

/// A weak reference to an object with properties that could not be read.
package struct UnreadModel {
  package private(set) weak var model: (any PersistentModel)?

  init(model: any PersistentModel) { self.model = model }
}

/// A deletion whose cascade could not be read completely.
struct IncompleteDeletion {
  let model: any PersistentModel
  /// The position of the unread relationship; nil if the whole row must be read, for an undo.
  let position: Int?
}

// How saves report properties that could not be read.

extension ModelContext {
  /// Rejects a change of a property that could not be read. The next save throws.
  func refuse<T: PersistentModel>(changeOf model: T, _ property: PropertyLayout, _ cause: any Error) {
    let error = SwiftDataError(
      Self.kind(of: cause),
      "\(Self.name(model)).\(property.name) was not changed: it could not be read just before, and what it was to become "
        + "may build on the value that stood in for it; read it again, then change it",
      underlying: cause)
    // Repeated changes of one property are reported once.
    if refusals.last?.explanation != error.explanation { refusals.append(error) }
  }

  func refuse<T: PersistentModel>(insertionOf model: T, _ cause: any Error) {
    refusals.append(
      SwiftDataError(
        Self.kind(of: cause),
        "\(Self.name(model)) was not inserted again, because not all of its values can be read; try it again later",
        underlying: cause))
  }

  /// Marks the failed reads of rejected changes as reported to the program.
  func markRefusedReadsReported() {
    for model in unreadModels.compactMap(\.model) {
      for failure in model._$state.pointee.extras?.failedReads ?? [] where failure.isRefused {
        model._$state.pointee.changeFailedRead(at: failure.position) { $0.isReported = true }
      }
    }
  }

  /// Throws if an object to be written has properties that could not be read. Its changes may depend on the default
  /// values that replaced the stored values.
  ///
  /// After the program has received the error once, the next save reads the property again, and succeeds if the read
  /// does. A stored value that its property cannot hold then no longer prevents changes of other properties.
  /// - Parameter isReported: Whether the program receives the error.
  func throwFailedReads(isReported: Bool) throws {
    // Filtered into a local variable: if another thread releases a model meanwhile, its deinitialiser runs here.
    let known = takeUnreadModels().filter { $0.model?._$state.pointee.hasFailedReads == true }
    unreadModels = known + unreadModels
    var (error, count): (SwiftDataError?, Int) = (nil, 0)
    for model in unreadModels.compactMap(\.model) {
      guard let found = failure(toWrite: model, isReported: isReported) else { continue }
      error = error ?? found
      count += 1
    }
    guard let error else { return }
    let others = count > 1 ? " (and \(count - 1) more like it)" : ""
    throw SwiftDataError(error.kind, (error.explanation ?? "") + others, underlying: error.underlyingError)
  }

  /// Empties the list of objects with failed reads.
  func takeUnreadModels() -> [UnreadModel] {
    let known = unreadModels
    unreadModels = []
    return known
  }

  private func failure<T: PersistentModel>(toWrite model: T, isReported: Bool) -> SwiftDataError? {
    let state = model._$state
    guard let map = state.pointee.identityMap, map.context === self, state.pointee.flags.contains(.changed) else {
      return nil
    }
    if state.pointee.dirty & PropertyMask.bit(PropertyMask.sharedPosition) != 0, let failure = model._$sharedFailure {
      return Self.sharedError(failure, map.entity.properties[failure.position], of: model)
    }
    var error: SwiftDataError?
    for failure in state.pointee.extras?.failedReads ?? [] where failure.isSeen {
      if failure.isReported, failure.isOfValue { continue }
      let property = map.entity.properties[failure.position]
      let isWritten = model._$isWritten(property)
      if failure.isOfValue, property.isRelationship, isWritten {
        // The change of the inverse has replaced the dangling reference.
        state.pointee.forgetFailedReads { $0.position == failure.position }
        continue
      }
      if failure.isReported, !isWritten {
        _ = model[keyPath: property.keyPath]
        if state.pointee.failedRead(at: failure.position) == nil { continue }
      }
      if isReported { state.pointee.changeFailedRead(at: failure.position) { $0.isReported = true } }
      error = error ?? Self.error(failure, property, of: model, isWritten: isWritten)
    }
    return error
  }

  /// The error for an unreadable value that a write of the properties with the same mask bit would overwrite. It is
  /// thrown until the property is set, because the default must never replace the stored value.
  private static func sharedError<T: PersistentModel>(
    _ failure: FailedRead, _ property: PropertyLayout, of model: T
  ) -> SwiftDataError {
    SwiftDataError(
      kind(of: failure.cause),
      "\(name(model)).\(property.name) could not be read, so nothing was saved: properties from the 64th on are written "
        + "together; set it as well, or roll back",
      underlying: failure.cause)
  }

  private static func error<T: PersistentModel>(
    _ failure: FailedRead, _ property: PropertyLayout, of model: T, isWritten: Bool
  ) -> SwiftDataError {
    let path = "\(name(model)).\(property.name)"
    let wayOut =
      isWritten
      ? "it was changed nevertheless; roll back, and change it again"
      : "what was changed in the object may build on the value that stood in for it; read it again, or roll back"
    return SwiftDataError(
      kind(of: failure.cause), "\(path) could not be read, so nothing was saved: \(wayOut)", underlying: failure.cause)
  }

  /// The properties with failed reads, by object.
  var positionsOfFailedReads: [ObjectIdentifier: Set<Int>] {
    var positions: [ObjectIdentifier: Set<Int>] = [:]
    for model in unreadModels.compactMap(\.model) {
      positions[ObjectIdentifier(model)] = Set(model._$state.pointee.extras?.failedReads.map(\.position) ?? [])
    }
    return positions
  }

  /// Discards the failed reads of a save attempt before the save is repeated. After a concurrent transaction has
  /// aborted the save's transaction, every read in it fails. The next attempt records its own failed reads.
  ///
  /// - Parameter noted: The failed reads that were recorded before the save.
  func withdrawFailedReads(besides noted: [ObjectIdentifier: Set<Int>]) {
    for model in unreadModels.compactMap(\.model) {
      let (known, dirty) = (noted[ObjectIdentifier(model)] ?? [], model._$state.pointee.dirty)
      model._$state.pointee.forgetFailedReads { read in
        // A read is kept if a rejected or pending change may use its default, or if the stored value is unreadable.
        let isKept = read.isRefused || read.isOfValue || dirty & PropertyMask.bit(read.position) != 0
        return !isKept && !known.contains(read.position)
      }
    }
  }

  /// Discards the failed reads when a rollback restores all objects. Unreadable stored values stay recorded.
  func forgetFailedReads() {
    unreadModels = takeUnreadModels().filter { entry in
      guard let model = entry.model else { return false }
      return returnToRow(model)
    }
    exchange(\.incompleteDeletions, for: [])
  }

  /// Marks the failed reads of an object as not yet used by the program; false if no failed read remains.
  private func returnToRow<T: PersistentModel>(_ model: T) -> Bool {
    let state = model._$state
    state.pointee.forgetFailedReads { !$0.isOfValue }
    guard state.pointee.hasFailedReads, let map = state.pointee.identityMap else { return false }
    for read in state.pointee.extras?.failedReads ?? [] {
      let isSeen = model._$hasNoSlot(map.entity.properties[read.position])
      state.pointee.changeFailedRead(at: read.position) {
        $0 = FailedRead(position: read.position, cause: read.cause, isSeen: isSeen)
      }
    }
    return true
  }

  /// Restores the record of a failed read. The slot is emptied, so that the next access reads the property.
  func noteAgain<T: PersistentModel>(_ read: FailedRead, of model: T) {
    let state = model._$state
    guard let map = state.pointee.identityMap, map.context === self, state.pointee.flags.contains(.changed),
      state.pointee.failedRead(at: read.position) == nil
    else { return }
    let property = map.entity.properties[read.position]
    // A changed property already has a new value.
    let waits = state.pointee.dirty & property.bit == 0
    if waits, property.isRelationship { _ = model._$edit(.release, at: read.position) }
    if waits, !property.isRelationship { NullRowReader.release(read.position..<read.position + 1, of: model, in: map) }
    if !state.pointee.hasFailedReads { noteUnread(model) }
    state.pointee.ensureExtras().failedReads.append(read)
    state.pointee.hasFailedReads = true
  }

  // MARK: Deletions

  /// Records that a deletion could not read a property; false if the property was read.
  ///
  /// - Parameter wasUnread: Whether a read of the property had failed before the deletion.
  @discardableResult
  func noteIncomplete<T: PersistentModel>(_ model: T, _ position: Int, wasUnread: Bool) -> Bool {
    guard let failure = model._$state.pointee.failedRead(at: position) else { return false }
    // A dangling reference does not affect other objects.
    if failure.isOfValue, model._$relationship(at: position)?.isToMany == false { return true }
    // The program did not read the property, so the failed read concerns only the deletion.
    if !wasUnread { model._$state.pointee.forgetFailedReads { $0.position == position } }
    incompleteDeletions.append(IncompleteDeletion(model: model, position: position))
    return true
  }

  /// Records that a deletion could not read the row, which an undo needs.
  func noteIncompleteRow<T: PersistentModel>(of model: T) {
    incompleteDeletions.append(IncompleteDeletion(model: model, position: nil))
  }

  /// Completes deletions by reading the properties that could not be read before.
  ///
  /// - Throws: The error of a read that fails again.
  func completeDeletions() throws {
    while let entry = incompleteDeletions.popLast() {
      do {
        // The call may record further incomplete deletions, for objects that the deletion cascades to.
        try complete(entry.model, entry.position)
      } catch {
        incompleteDeletions.append(entry)
        throw error
      }
    }
  }

  private func complete<T: PersistentModel>(_ model: T, _ position: Int?) throws {
    let state = model._$state
    guard let map = state.pointee.identityMap, map.context === self, state.pointee.flags.contains(.deleted) else {
      return
    }
    guard let position else {
      if state.pointee.flags.contains(.fault) { try map.store.fulfill(model, in: map) }
      return
    }
    let property = map.entity.properties[position]
    _ = model[keyPath: property.keyPath]
    if let failure = state.pointee.failedRead(at: position) {
      if failure.isReported, failure.isOfValue { return }
      state.pointee.changeFailedRead(at: position) { $0.isReported = true }
      throw SwiftDataError(
        Self.kind(of: failure.cause),
        "\(Self.name(model)) cannot be deleted before \(property.name) can be read, which its deletion concerns; "
          + "save again later, or roll back",
        underlying: failure.cause)
    }
    guard let relationship = map.entity.relationship(at: position) else { return }
    func resume() {
      var deletion = Deletion(in: self)
      deletion.resume(relationship, of: model, in: map)
    }
    guard let undoRecorder else { return resume() }
    undoRecorder.resume(deletionOf: model, at: position, in: map, resume)
  }

  static func kind(of cause: any Error) -> SwiftDataError.Kind { (cause as? SwiftDataError)?.kind ?? .storeFailure }

  package static func name<T: PersistentModel>(_ model: T) -> String {
    "\(Schema.entityName(for: T.self)) \(model.persistentModelID.primaryKeyText)"
  }
}

extension PersistentModel {
  /// Whether the property has a new value in its slot, which a read does not replace.
  package func _$isWritten(_ property: PropertyLayout) -> Bool {
    guard _$state.pointee.dirty & property.bit != 0 else { return false }
    return !property.isRelationship || _$edit(.find, at: property.position).isLoaded
  }
}
