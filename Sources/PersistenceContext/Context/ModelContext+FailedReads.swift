import PersistenceRuntime
import PersistenceSupport

/// An object with properties that could not be read. Nobody else need hold it.
struct UnreadModel {
  private(set) weak var model: (any PersistentModel)?

  init(model: any PersistentModel) { self.model = model }
}

/// A deletion of which it could not be read what it takes along.
struct IncompleteDeletion {
  let model: any PersistentModel
  /// The relationship; nil where the row itself has to be known, to be brought back.
  let position: Int?
}

// What a save says about properties that could not be read.

extension ModelContext {
  /// Does not change a property, because it could not be read; the next save says so.
  func refuse<T: PersistentModel>(changeOf model: T, _ property: PropertyLayout, _ cause: any Error) {
    let error = SwiftDataError(
      Self.kind(of: cause),
      "\(Self.name(model)).\(property.name) was not changed: it could not be read just before, and what it was to become "
        + "may build on the value that stood in for it; read it again, then change it",
      underlying: cause)
    // A loop that changes one property again and again says it once.
    if refusals.last?.explanation != error.explanation { refusals.append(error) }
  }

  func refuse<T: PersistentModel>(insertionOf model: T, _ cause: any Error) {
    refusals.append(
      SwiftDataError(
        Self.kind(of: cause),
        "\(Self.name(model)) was not inserted again, because not all of its values can be read; try it again later",
        underlying: cause))
  }

  /// Notes that the refusals were thrown.
  func markRefusedReadsReported() {
    for model in unreadModels.compactMap(\.model) {
      for failure in model._$state.pointee.extras?.failedReads ?? [] where failure.isRefused {
        model._$state.pointee.changeFailedRead(at: failure.position) { $0.isHeard = true }
      }
    }
  }

  /// Throws when an object that is to be written has properties that could not be read: what was changed in it may build on
  /// what stood in for them.
  ///
  /// Once the program has heard so, a read that succeeds is enough, and what the store has that is no value of its property
  /// keeps nobody from changing others.
  /// - Parameter isHeard: Whether it is the program that gets the error.
  func throwFailedReads(isHeard: Bool) throws {
    guard !unreadModels.isEmpty else { return }
    unreadModels.removeAll { $0.model?._$state.pointee.hasFailedReads != true }
    var (error, count): (SwiftDataError?, Int) = (nil, 0)
    for model in unreadModels.compactMap(\.model) {
      guard let found = failure(toWrite: model, isHeard: isHeard) else { continue }
      error = error ?? found
      count += 1
    }
    guard let error else { return }
    let others = count > 1 ? " (and \(count - 1) more like it)" : ""
    throw SwiftDataError(error.kind, (error.explanation ?? "") + others, underlying: error.underlyingError)
  }

  private func failure<T: PersistentModel>(toWrite model: T, isHeard: Bool) -> SwiftDataError? {
    let state = model._$state
    guard let map = state.pointee.identityMap, map.context === self, state.pointee.flags.contains(.changed) else {
      return nil
    }
    var error: SwiftDataError?
    for failure in state.pointee.extras?.failedReads ?? [] {
      if failure.isHeard, failure.isOfValue { continue }
      let property = map.entity.properties[failure.position]
      let isWritten = model._$isWritten(property)
      if failure.isHeard, !isWritten {
        _ = model[keyPath: property.keyPath]
        if state.pointee.failedRead(at: failure.position) == nil { continue }
      }
      if isHeard { state.pointee.changeFailedRead(at: failure.position) { $0.isHeard = true } }
      error = error ?? Self.error(failure, property, of: model, isWritten: isWritten)
    }
    return error
  }

  private static func error<T: PersistentModel>(
    _ failure: FailedRead, _ property: PropertyLayout, of model: T, isWritten: Bool
  ) -> SwiftDataError {
    let place = "\(name(model)).\(property.name)"
    let wayOut =
      isWritten
      ? "it was changed nevertheless; roll back, and change it again"
      : "what was changed in the object may build on the value that stood in for it; read it again, or roll back"
    return SwiftDataError(
      kind(of: failure.cause), "\(place) could not be read, so nothing was saved: \(wayOut)", underlying: failure.cause)
  }

  /// Forgets what could not be read: everything is as the store has it.
  func forgetFailedReads() {
    for model in unreadModels.compactMap(\.model) { model._$state.pointee.forgetFailedReads { _ in true } }
    unreadModels.removeAll()
    exchange(\.incompleteDeletions, for: [])
  }

  /// Notes again that a property of a changed object could not be read. It waits for its value, so that the next
  /// read finds out whether there is one now.
  func noteAgain<T: PersistentModel>(_ read: FailedRead, of model: T) {
    let state = model._$state
    guard let map = state.pointee.identityMap, map.context === self, state.pointee.flags.contains(.changed),
      state.pointee.failedRead(at: read.position) == nil
    else { return }
    let property = map.entity.properties[read.position]
    // What is to be written has a value of its own.
    let waits = state.pointee.dirty & property.bit == 0
    if waits, property.isRelationship { _ = model._$edit(.release, at: read.position) }
    if waits, !property.isRelationship { NullRowReader.release(read.position..<read.position + 1, of: model, in: map) }
    if !state.pointee.hasFailedReads { unreadModels.append(UnreadModel(model: model)) }
    state.pointee.ensureExtras().failedReads.append(read)
    state.pointee.hasFailedReads = true
  }

  // MARK: Deletions

  /// Notes that a deletion could not read a property of what it deletes; false when it could.
  ///
  /// - Parameter wasUnread: Whether that could not be read before either.
  @discardableResult
  func noteIncomplete<T: PersistentModel>(_ model: T, _ position: Int, wasUnread: Bool) -> Bool {
    guard model._$state.pointee.failedRead(at: position) != nil else { return false }
    // Nobody but the deletion asked, and it is the deletion that waits.
    if !wasUnread { model._$state.pointee.forgetFailedReads { $0.position == position } }
    incompleteDeletions.append(IncompleteDeletion(model: model, position: position))
    return true
  }

  /// Notes that a deletion that can be undone could not read the row.
  func noteIncompleteRow<T: PersistentModel>(of model: T) {
    incompleteDeletions.append(IncompleteDeletion(model: model, position: nil))
  }

  /// Reads what deletions could not read, and takes that along.
  ///
  /// - Throws: The reason when it can still not be read.
  func completeDeletions() throws {
    while let entry = incompleteDeletions.last {
      try complete(entry.model, entry.position)
      incompleteDeletions.removeLast()
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
      if failure.isHeard, failure.isOfValue { return }
      state.pointee.changeFailedRead(at: position) { $0.isHeard = true }
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

  static func name<T: PersistentModel>(_ model: T) -> String {
    "\(Schema.entityName(for: T.self)) \(model.persistentModelID.primaryKeyText)"
  }
}

extension PersistentModel {
  /// Whether the property has a value of its own that is to be written, which reading the row does not replace.
  fileprivate func _$isWritten(_ property: PropertyLayout) -> Bool {
    guard _$state.pointee.dirty & property.bit != 0 else { return false }
    return !property.isRelationship || _$edit(.find, at: property.position).isLoaded
  }
}
