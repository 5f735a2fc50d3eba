import PersistenceRuntime
import PersistenceSupport

// Properties that a read of a row left unread, because their columns contain values that the properties cannot hold.

extension PersistentModel {
  /// Records the properties whose values could not be decoded from the row. If the program later reads such a property,
  /// that is recorded separately (``_$noteFailedRead(_:_:in:)``).
  ///
  /// - Parameters:
  ///   - failures: The properties, with the errors.
  ///   - mask: The properties whose columns were read.
  /// - Returns: The errors that were not recorded before.
  func _$noteUnread(
    _ failures: ContiguousArray<PropertyFailure>, mask: UInt64, in map: IdentityMap
  ) -> [SwiftDataError] {
    _$forgetFailedReads(in: mask, besides: failures, in: map)
    // The library is not called when the program reads a `let` or a model without the macro, so these count as read.
    let news = failures.filter { failure in
      let property = map.entity.properties[failure.position]
      return _$noteFailure(failure.error, at: failure.position, isSeen: _$hasNoSlot(property), in: map)
    }
    _$state.pointee.flags.insert(.fault)
    return news.map(\.error)
  }

  /// Records an error of a property. Returns false if the error is already recorded.
  func _$noteFailure(_ error: any Error, at position: Int, isSeen: Bool, in map: IdentityMap) -> Bool {
    let state = _$state
    guard let known = state.pointee.failedRead(at: position) else {
      if !state.pointee.hasFailedReads { map.context?.noteUnread(self) }
      let read = FailedRead(position: position, cause: error, isSeen: isSeen)
      state.pointee.ensureExtras().failedReads.append(read)
      state.pointee.hasFailedReads = true
      return true
    }
    let isSame = "\(known.cause)" == "\(error)"
    state.pointee.changeFailedRead(at: position) { read in
      if !isSame { read.cause = error }
      if isSeen { read.isSeen = true }
    }
    return !isSame
  }

  /// True if no access of the property reads its column again: it is a `let`, or the model does not use the macro.
  func _$hasNoSlot(_ property: PropertyLayout) -> Bool {
    !Self._$isGenerated || !property.isWritable(in: Self.self)
  }

  /// Removes the failed reads of the properties that a later read of the row has set.
  ///
  /// Changed and external properties keep their failed reads, because a read of the row does not set them. A constant
  /// also keeps it, because it keeps its first value. A reference keeps its failed read until its object is loaded.
  func _$forgetFailedReads(
    in mask: UInt64, besides failures: ContiguousArray<PropertyFailure> = [], in map: IdentityMap
  ) {
    guard _$state.pointee.hasFailedReads else { return }
    let known = mask & ~_$state.pointee.dirty
    let over = (_$state.pointee.extras?.failedReads ?? []).filter { read in
      let property = map.entity.properties[read.position]
      guard known & property.bit != 0, !property.columns.isEmpty, property.outOfRowValue?.isExternal != true,
        !failures.contains(where: { $0.position == read.position })
      else { return false }
      guard read.isOfValue else { return true }
      if property.isRelationship { return _$edit(.find, at: read.position).isLoaded }
      return !Self._$isGenerated || !_$hasNoSlot(property)
    }.map(\.position)
    _$state.pointee.forgetFailedReads { over.contains($0.position) }
  }

  /// Empties the slot of a relationship to a missing row, and records the error.
  ///
  /// - Returns: The error, if it was not recorded before.
  func _$leaveUnread(
    _ relationship: RelationshipLayout, _ error: SwiftDataError, in map: IdentityMap
  ) -> SwiftDataError? {
    let property = map.entity.properties[relationship.position]
    _ = _$edit(.release, at: property.position)
    _$state.pointee.flags.insert(.fault)
    let isNew = _$noteFailure(error, at: property.position, isSeen: _$hasNoSlot(property), in: map)
    _$announce(property.keyPath)
    return isNew ? error : nil
  }
}

extension ModelContext {
  /// Adds an object with failed reads to the context's list. If the list is long, deallocated objects and objects
  /// without failed reads are removed from it, so that a loop over many rows does not accumulate memory.
  func noteUnread(_ model: some PersistentModel) {
    if unreadModels.count >= unreadLimit {
      // Filters a local array: if another thread releases a model meanwhile, its deinitialiser here may add models.
      let living = takeUnreadModels().filter { $0.model?._$state.pointee.hasFailedReads == true }
      unreadModels = living + unreadModels
      unreadLimit = max(64, 2 * unreadModels.count)
    }
    unreadModels.append(UnreadModel(model: model))
  }

  /// Records a row for which no object can be created. Returns false if the row is already recorded.
  func noteLeftOut(_ error: SwiftDataError, key: Int64, in map: IdentityMap) -> Bool {
    let row = LeftOutRow(entity: map.rootMap.entity.name, key: key)
    guard leftOutRows[row] == nil else { return false }
    if leftOutRows.count < LeftOutRow.most { leftOutRows[row] = error }
    return true
  }

  /// Before a fetch, removes the recorded left-out rows (``LeftOutRow``) that the fetch reads again.
  func forgetLeftOut(_ request: FetchRequest, in map: IdentityMap) {
    let entity = map.rootMap.entity.name
    switch request.selection {
    case .all where request.meansEverything && map.isRoot:
      leftOutRows = leftOutRows.filter { $0.key.entity != entity }
    case .key(let key): leftOutRows[LeftOutRow(entity: entity, key: key)] = nil
    case .keys(let keys): for key in keys { leftOutRows[LeftOutRow(entity: entity, key: key)] = nil }
    case .all, .matching: break
    }
  }
}

/// A row for which no object can be created.
package struct LeftOutRow: Hashable {
  /// The maximum number of left-out rows that a context records.
  static let most = 1_000

  /// The name of the root entity of the row's class hierarchy. It identifies the table.
  package let entity: String
  package let key: Int64
}
