import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

// Properties that could not be read. Objects without such properties only test a flag (`hasFailedReads`).

extension PersistentModel {
  func _$noteFailedRead(_ position: Int, _ error: any Error, in map: IdentityMap) {
    let isNew = _$noteFailure(error, at: position, isSeen: true, in: map)
    map.noteReadFailure(error, isLogged: !isNew)
  }

  func _$didRead(_ position: Int) {
    guard _$state.pointee.hasFailedReads else { return }
    _$state.pointee.forgetFailedReads { $0.position == position }
    _$state.pointee.identityMap?.loggedReadFailure = nil
  }

  func _$didReadRow(_ mask: UInt64) {
    guard _$state.pointee.hasFailedReads, let map = _$state.pointee.identityMap else { return }
    _$forgetFailedReads(in: mask, in: map)
    map.loggedReadFailure = nil
  }

  /// Marks the object as deleted, because a read did not find its row. Earlier failed reads no longer matter then.
  func _$noteMissingRow() {
    // Without the flag `gone`, another context or process deleted the row: a deletion by this context sets the flag.
    if !_$state.pointee.flags.contains(.gone) { _$state.pointee.identityMap?.noteMissingRow(of: self) }
    _$state.pointee.forgetFailedReads { _ in true }
  }

  /// Records that values of a hand-written model are stale. They cannot be removed from its backing data.
  func _$noteStaleValues(_ positions: Range<Int>, in map: IdentityMap) {
    let cause = map.context?.readFailure ?? SwiftDataError(.storeFailure, "the row could not be read")
    for position in positions where !map.entity.properties[position].columns.isEmpty {
      _$noteFailedRead(position, cause, in: map)
    }
  }

  // MARK: Changes

  /// Returns true if a property with an empty slot may be set.
  ///
  /// After a failed read the set is rejected: the new value may depend on the default that the getter returned. It is
  /// also rejected if the undo manager needs the former value and this value cannot be read.
  @usableFromInline
  func _$mayReplaceUnread(_ position: Int) -> Bool {
    guard let map = _$state.pointee.identityMap else { return true }
    if let restored = map.context?.restored, restored.object === self,
      restored.keyPath == map.entity.properties[position].keyPath
    {
      // The undo of a transaction is setting the property by key path, which reads it first. This read may fail, but
      // the restored value does not depend on it. A value that an observer sets meanwhile may depend on it.
      _$state.pointee.forgetFailedReads { $0.position == position }
      return true
    }
    let isUndoable = osd_is_recording() && map.context?.undoRecorder?.isRecording == true
    // A save has thrown the error, so the program knows of it. The set is allowed if the property can be read now.
    if isUndoable || _$state.pointee.failedRead(at: position)?.isReported == true {
      _ = self[keyPath: map.entity.properties[position].keyPath]
    }
    guard !_$refusesChange(at: position) else { return false }
    // The set replaces the value that could not be read.
    _$state.pointee.forgetFailedReads { $0.position == position }
    return true
  }

  /// Rejects a change if the property could not be read. Returns false if the change is allowed.
  func _$refusesChange(at position: Int) -> Bool {
    let state = _$state
    guard let failure = state.pointee.failedRead(at: position), failure.isSeen,
      !state.pointee.flags.contains(.deleted), let map = state.pointee.identityMap, let context = map.context
    else { return false }
    // A reference to a missing row may always be replaced: no value depends on it, and no inverse must be updated.
    if failure.isOfValue, map.entity.relationship(at: position) != nil {
      state.pointee.forgetFailedReads { $0.position == position }
      return false
    }
    // A save has already thrown the error. So the program knows that the stored value is unreadable, and replaces it.
    if failure.isReported, failure.isOfValue { return false }
    state.pointee.changeFailedRead(at: position) { $0.isRefused = true }
    context.refuse(changeOf: self, map.entity.properties[position], failure.cause)
    return true
  }

  /// Loads all properties that share a bit of the change mask with a property, because a save writes them together.
  /// Returns false if the change must be rejected.
  @usableFromInline
  func _$canBeWritten(_ position: Int) -> Bool {
    guard let map = _$state.pointee.identityMap else { return true }
    if let error = _$fulfill() {
      _$noteFailedRead(position, error, in: map)
      return !_$refusesChange(at: position)
    }
    // Accepts a change of an unreadable property. Saves throw until all unreadable properties of this bit are set.
    guard let failure = _$sharedFailure, _$state.pointee.failedRead(at: position) == nil, let context = map.context
    else { return true }
    context.refuse(changeOf: self, map.entity.properties[position], failure.cause)
    return false
  }

  /// The failed read of a value that a save would overwrite, because it writes all properties of one mask bit together.
  var _$sharedFailure: FailedRead? {
    guard _$state.pointee.hasFailedReads else { return nil }
    return _$state.pointee.extras?.failedReads.first { $0.position >= PropertyMask.sharedPosition && $0.isOfValue }
  }

  /// Loads all properties that share a mask bit with a property, before an in-place change of the property.
  func _$loadShared(_ position: Int) {
    guard let map = _$state.pointee.identityMap, let error = _$fulfill() else { return }
    _$noteFailedRead(position, error, in: map)
  }

  // MARK: In-place changes

  /// Rejects an in-place change if the property could not be read. Returns false if the change is allowed.
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

  /// Empties the slot after a rejected in-place change. Returns false if the change was not rejected.
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

  /// Reads all properties of an object. Returns the error of the first property that could not be read.
  func _$failureToReadAll() -> (any Error)? {
    guard let map = _$state.pointee.identityMap else { return nil }
    let (flags, relationships) = (_$state.pointee.flags, map.entity.relationships)
    // The relationships of a deleted row must not be read: a later row may have the same key.
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
  /// Executes code that reads properties. Throws if a getter returned a default because its property could not be read.
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

  /// Records the error of a failed read for `reading(_:)`, and logs it unless the last logged error has the same text.
  ///
  /// - Parameter isLogged: Whether the error was already logged.
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

/// A deletion that could not read a relationship, or the row whose values an undo needs. The next save completes it.
struct IncompleteDeletion {
  let model: any PersistentModel
  /// The position of the unread relationship; nil if the whole row must be read, for an undo.
  let position: Int?
}

// How saves report properties that could not be read.

extension ModelContext {
  /// Rejects a change of a property that could not be read. The next save throws the error.
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

  /// Marks the failed reads of rejected changes as reported, because a save throws their errors now.
  func markRefusedReadsReported() {
    for model in unreadModels.compactMap(\.model) {
      for failure in model._$state.pointee.extras?.failedReads ?? [] where failure.isRefused {
        model._$state.pointee.changeFailedRead(at: failure.position) { $0.isReported = true }
      }
    }
  }

  /// Throws if a changed object has properties that could not be read. Their getters returned defaults, and the changes
  /// may depend on these defaults.
  ///
  /// After a save has thrown the error once, the next save reads the property again, and throws only if that fails too.
  /// If the property cannot hold its stored value, only the first save throws: other properties can then be saved.
  /// - Parameter isReported: Whether the program receives the error.
  func throwFailedReads(isReported: Bool) throws {
    // Filters a local array: if another thread releases a model meanwhile, its deinitialiser may run on this thread.
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

  /// Empties the list of objects with failed reads, and returns its former entries.
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
        // A change of the inverse has replaced the reference to a missing row.
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

  /// The error for an unreadable value that a save would overwrite: it writes the properties from the 64th on together.
  /// Each save throws it until the program sets the property, because a default must never overwrite the stored value.
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

  /// The positions of the properties with failed reads, by object.
  var positionsOfFailedReads: [ObjectIdentifier: Set<Int>] {
    var positions: [ObjectIdentifier: Set<Int>] = [:]
    for model in unreadModels.compactMap(\.model) {
      positions[ObjectIdentifier(model)] = Set(model._$state.pointee.extras?.failedReads.map(\.position) ?? [])
    }
    return positions
  }

  /// Discards the failed reads of a save attempt before the save is repeated. If a concurrent transaction has made the
  /// attempt fail, all further reads of the attempt fail too. The next attempt records its own failed reads.
  ///
  /// - Parameter noted: The failed reads from before the save, which are kept.
  func withdrawFailedReads(besides noted: [ObjectIdentifier: Set<Int>]) {
    for model in unreadModels.compactMap(\.model) {
      let (known, dirty) = (noted[ObjectIdentifier(model)] ?? [], model._$state.pointee.dirty)
      model._$state.pointee.forgetFailedReads { read in
        // A failed read is kept if a change may depend on the default, or if the property cannot hold its value.
        let isKept = read.isRefused || read.isOfValue || dirty & PropertyMask.bit(read.position) != 0
        return !isKept && !known.contains(read.position)
      }
    }
  }

  /// During a rollback, discards the failed reads, but keeps those of values that their properties cannot hold.
  func forgetFailedReads() {
    unreadModels = takeUnreadModels().filter { entry in
      guard let model = entry.model else { return false }
      return returnToRow(model)
    }
    exchange(\.incompleteDeletions, for: [])
  }

  /// Marks the failed reads of an object as unseen by the program and unreported. Returns false if none remains.
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

  /// Records a failed read again after an undone transaction. Empties the slot, so that the next access reads again.
  func noteAgain<T: PersistentModel>(_ read: FailedRead, of model: T) {
    let state = model._$state
    guard let map = state.pointee.identityMap, map.context === self, state.pointee.flags.contains(.changed),
      state.pointee.failedRead(at: read.position) == nil
    else { return }
    let property = map.entity.properties[read.position]
    // A changed property keeps its new value.
    let waits = state.pointee.dirty & property.bit == 0
    if waits, property.isRelationship { _ = model._$edit(.release, at: read.position) }
    if waits, !property.isRelationship { NullRowReader.release(read.position..<read.position + 1, of: model, in: map) }
    if !state.pointee.hasFailedReads { noteUnread(model) }
    state.pointee.ensureExtras().failedReads.append(read)
    state.pointee.hasFailedReads = true
  }

  // MARK: Deletions

  /// Records an incomplete deletion if a property could not be read. Returns false if it could.
  ///
  /// - Parameter wasUnread: Whether a read of the property had failed before the deletion.
  @discardableResult
  func noteIncomplete<T: PersistentModel>(_ model: T, _ position: Int, wasUnread: Bool) -> Bool {
    guard let failure = model._$state.pointee.failedRead(at: position) else { return false }
    // A reference to a missing row does not affect other objects, so the deletion is complete.
    if failure.isOfValue, model._$relationship(at: position)?.isToMany == false { return true }
    // The program did not read the property, so the failed read concerns only the deletion.
    if !wasUnread { model._$state.pointee.forgetFailedReads { $0.position == position } }
    incompleteDeletions.append(IncompleteDeletion(model: model, position: position))
    return true
  }

  /// Records that a deletion could not read the row of the model, whose values an undo needs.
  func noteIncompleteRow<T: PersistentModel>(of model: T) {
    incompleteDeletions.append(IncompleteDeletion(model: model, position: nil))
  }

  /// Completes deletions: reads the relationships and rows again that could not be read before.
  ///
  /// - Throws: The error of a read that fails again.
  func completeDeletions() throws {
    while let entry = incompleteDeletions.popLast() {
      do {
        // The deletion may cascade to objects that cannot be read either. These are added to the list.
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
  /// Returns true if the slot of the property contains a pending new value, which a read must not replace.
  package func _$isWritten(_ property: PropertyLayout) -> Bool {
    guard _$state.pointee.dirty & property.bit != 0 else { return false }
    return !property.isRelationship || _$edit(.find, at: property.position).isLoaded
  }
}
