import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

// Properties that could not be read. A flag keeps all of this off the path of other objects.

extension PersistentModel {
  /// Notes that a property could not be read.
  func _$noteFailedRead(_ position: Int, _ error: any Error, in map: IdentityMap) {
    let state = _$state
    map.noteReadFailure(error)
    guard state.pointee.failedRead(at: position) == nil else { return }
    if !state.pointee.hasFailedReads { map.context?.unreadModels.append(UnreadModel(model: self)) }
    state.pointee.ensureExtras().failedReads.append(FailedRead(position: position, cause: error))
    state.pointee.hasFailedReads = true
  }

  /// Removes the note of a failed read after a successful one.
  func _$didRead(_ position: Int) {
    guard _$state.pointee.hasFailedReads else { return }
    _$state.pointee.forgetFailedReads { $0.position == position }
    _$state.pointee.identityMap?.loggedReadFailure = nil
  }

  /// Removes the notes of failed reads after a read of the row. The row has no values of changed properties, nor of
  /// external ones.
  func _$didReadRow(_ mask: UInt64) {
    let state = _$state
    guard state.pointee.hasFailedReads, let map = state.pointee.identityMap else { return }
    let known = mask & ~state.pointee.dirty
    state.pointee.forgetFailedReads { failure in
      let property = map.entity.properties[failure.position]
      return known & property.bit != 0 && !property.columns.isEmpty && property.outOfRowValue?.isExternal != true
    }
    map.loggedReadFailure = nil
  }

  /// Notes that the row is deleted, so that there is nothing to read.
  func _$noteMissingRow() {
    // Others deleted it: after a deletion of this context the flag is set.
    if !_$state.pointee.flags.contains(.gone) { _$state.pointee.identityMap?.noteMissingRow(of: self) }
    _$state.pointee.forgetFailedReads { _ in true }
  }

  /// Notes that the values of a hand-written model are stale. They cannot be removed from its backing data.
  func _$noteStaleValues(_ positions: Range<Int>, in map: IdentityMap) {
    let cause = map.context?.readFailure ?? SwiftDataError(.storeFailure, "the row could not be read")
    for position in positions where !map.entity.properties[position].columns.isEmpty {
      _$noteFailedRead(position, cause, in: map)
    }
  }

  // MARK: Changes

  /// Whether a property that is not loaded may be set.
  ///
  /// Not after its read has failed, because the new value may depend on the default that stood in for it. Nor if an
  /// undo needs the former value and it cannot be read.
  @usableFromInline
  func _$mayReplaceUnread(_ position: Int) -> Bool {
    guard let map = _$state.pointee.identityMap else { return true }
    let isUndoable = osd_is_recording() && map.context?.undoRecorder != nil
    // After the error was reported, a change is intended if the property can be read now.
    if isUndoable || _$state.pointee.failedRead(at: position)?.isReported == true {
      _ = self[keyPath: map.entity.properties[position].keyPath]
    }
    return !_$refusesChange(at: position)
  }

  /// Refuses a change of a property that could not be read; false if it was read.
  func _$refusesChange(at position: Int) -> Bool {
    let state = _$state
    guard let failure = state.pointee.failedRead(at: position), !state.pointee.flags.contains(.deleted),
      let map = state.pointee.identityMap, let context = map.context
    else { return false }
    // The program knows that the stored value is unreadable, and replaces it.
    if failure.isReported, failure.isOfValue { return false }
    state.pointee.changeFailedRead(at: position) { $0.isRefused = true }
    context.refuse(changeOf: self, map.entity.properties[position], failure.cause)
    return true
  }

  /// Loads the properties that share a mask bit with one; false if that fails, and the change is refused.
  @usableFromInline
  func _$canBeWritten(_ position: Int) -> Bool {
    guard let map = _$state.pointee.identityMap, let error = _$fulfill() else { return true }
    _$noteFailedRead(position, error, in: map)
    return !_$refusesChange(at: position)
  }

  // MARK: In-place changes

  /// Refuses an in-place change of a property that could not be read; false if it was read.
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

  /// Whether the in-place change of a property was refused.
  func _$isRefused(_ position: Int) -> Bool {
    guard _$state.pointee.hasExtras else { return false }
    return _$state.pointee.extras?.refusedChanges.last?.position == position
  }

  /// Ends a refused in-place change: the slot becomes empty again.
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

  /// Reads all values of an object. Returns the error if one cannot be read.
  func _$failureToReadAll() -> (any Error)? {
    guard let map = _$state.pointee.identityMap, _$state.pointee.flags.contains(.fault) || map.entity.hasExternal else {
      return nil
    }
    for property in map.entity.properties {
      _ = self[keyPath: property.keyPath]
      if let failure = _$state.pointee.failedRead(at: property.position) { return failure.cause }
    }
    return nil
  }
}

extension IdentityMap {
  /// Runs code that reads properties, and throws if one of them returned a default instead of an unreadable value.
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

  /// Notes an error of a read for `reading(_:)`, and logs it. Repeated errors with the same text are logged once.
  package func noteReadFailure(_ error: any Error) {
    context?.readFailure = error
    let text = "\(error)"
    guard loggedReadFailure != text else { return }
    loggedReadFailure = text
    store.logger.error("reading \(entity.name) failed, and is tried again when it is next asked for: \(error)")
  }
}
