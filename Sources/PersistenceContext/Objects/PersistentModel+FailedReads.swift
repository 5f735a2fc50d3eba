import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

// Properties that could not be read. All of this is behind a flag that no other object has.

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

  /// Notes that a property was read after all.
  func _$didRead(_ position: Int) {
    guard _$state.pointee.hasFailedReads else { return }
    _$state.pointee.forgetFailedReads { $0.position == position }
    _$state.pointee.identityMap?.loggedReadFailure = nil
  }

  /// Notes that the columns of some properties were read. What was set meanwhile, and what is kept outside of the row, was
  /// not among them.
  func _$didReadRow(_ mask: UInt64) {
    let state = _$state
    guard state.pointee.hasFailedReads, let map = state.pointee.identityMap else { return }
    let known = mask & ~state.pointee.dirty
    state.pointee.forgetFailedReads { failure in
      let property = map.entity.properties[failure.position]
      return known & property.bit != 0 && !property.columns.isEmpty && property.envelope?.isExternal != true
    }
    map.loggedReadFailure = nil
  }

  /// Notes that there is nothing more to be read: the row is gone.
  func _$noteMissingRow() {
    // Not by this context: it would know of its own deletion.
    if !_$state.pointee.flags.contains(.gone) { _$state.pointee.identityMap?.noteMissingRow(of: self) }
    _$state.pointee.forgetFailedReads { _ in true }
  }

  /// Notes that values are not those of the row and cannot be taken away: those of a model that is written by hand.
  func _$noteStaleValues(_ positions: Range<Int>, in map: IdentityMap) {
    let cause = map.context?.readFailure ?? SwiftDataError(.storeFailure, "the row could not be read")
    for position in positions where !map.entity.properties[position].columns.isEmpty {
      _$noteFailedRead(position, cause, in: map)
    }
  }

  // MARK: Changes

  /// Whether a property that has not been read may be set. Not if it was asked for and could not be read: what is to be set
  /// may build on what stood in for it. Nor if undoing needs to know what it was, and that cannot be read.
  @usableFromInline
  func _$mayReplaceUnread(_ position: Int) -> Bool {
    guard let map = _$state.pointee.identityMap else { return true }
    let isUndoable = osd_is_recording() && map.context?.undoRecorder != nil
    // Once the program has heard that the property could not be read, it means what it sets if it can be read now.
    if isUndoable || _$state.pointee.failedRead(at: position)?.isHeard == true {
      _ = self[keyPath: map.entity.properties[position].keyPath]
    }
    return !_$refusesChange(at: position)
  }

  /// Refuses a change of a property that could not be read; false when it was read.
  func _$refusesChange(at position: Int) -> Bool {
    let state = _$state
    guard let failure = state.pointee.failedRead(at: position), !state.pointee.flags.contains(.deleted),
      let map = state.pointee.identityMap, let context = map.context
    else { return false }
    // The program has heard that there is no value to be had, and sets another.
    if failure.isHeard, failure.isOfValue { return false }
    state.pointee.changeFailedRead(at: position) { $0.isRefused = true }
    context.refuse(changeOf: self, map.entity.properties[position], failure.cause)
    return true
  }

  /// Whether properties that are written together with one are all there; if not, its change is refused.
  @usableFromInline
  func _$canBeWritten(_ position: Int) -> Bool {
    guard let map = _$state.pointee.identityMap, let error = _$fulfill() else { return true }
    _$noteFailedRead(position, error, in: map)
    return !_$refusesChange(at: position)
  }

  // MARK: Changes in place

  /// Refuses to keep a change in place of a property that could not be read; false when it was read.
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

  /// Whether what a property is being changed to in place is not kept.
  func _$isRefused(_ position: Int) -> Bool {
    guard _$state.pointee.hasExtras else { return false }
    return _$state.pointee.extras?.refusedChanges.last?.position == position
  }

  /// Ends a change in place that is not kept: the slot waits for the value again.
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

  /// What keeps an object from having all its values in memory.
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
  /// Works with the values that properties have, and throws when one of them only stands in for what could not be read.
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

  /// Notes that something could not be read, for whoever evaluates a predicate in memory, and for the log: once for a cause,
  /// as long as nothing can be read.
  package func noteReadFailure(_ error: any Error) {
    context?.readFailure = error
    let text = "\(error)"
    guard loggedReadFailure != text else { return }
    loggedReadFailure = text
    store.logger.error("reading \(entity.name) failed, and is tried again when it is next asked for: \(error)")
  }
}
