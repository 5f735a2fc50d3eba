import PersistenceRuntime
import _CSwiftRuntime

/// Changes of objects that a save had written already, by code that the save executes, such as the encoding of a later
/// value. They are saved by the next save.
///
/// While a save writes, every property change is recorded, like for an undo. Other changes cost nothing more: written
/// objects stay marked as changed until the commit, so reads do not replace their values. Most saves execute no such
/// code, so the object is created by the first change.
final class LateChanges {
  private struct Original {
    /// The value that the save wrote; nil for a property that it did not write, whose original value is in
    /// `OriginalValues`. For a reference always the former one.
    let value: Any?
    let hasColumns: Bool
  }

  /// By object and position. The save retains the objects.
  private var changes: [ObjectIdentifier: [Int: Original]] = [:]
  /// The written members of lists whose other members are postponed, by owner and position.
  private var written: [ObjectIdentifier: [Int: ContiguousArray<AnyObject>]] = [:]

  var isEmpty: Bool { changes.isEmpty }

  /// Whether a column of an object's own row was changed.
  var concernsColumns: Bool { changes.values.contains { $0.values.contains(where: \.hasColumns) } }

  /// Records a property before its change.
  func note<T: PersistentModel>(_ model: T, at position: Int, in map: IdentityMap) {
    let identity = ObjectIdentifier(model)
    guard changes[identity]?[position] == nil else { return }
    // Read before the dictionary is accessed: a read may execute code that changes something too.
    let value = model._$writtenValue(at: position, in: map)
    let original = Original(value: value, hasColumns: !map.entity.properties[position].columns.isEmpty)
    changes[identity, default: [:]][position] = original
  }

  /// Records that a list has members that this save does not write.
  ///
  /// - Parameter members: The members that it writes.
  func postpone(_ model: some PersistentModel, at position: Int, besides members: ContiguousArray<AnyObject>) {
    changes[ObjectIdentifier(model), default: [:]][position] = Original(value: nil, hasColumns: false)
    written[ObjectIdentifier(model), default: [:]][position] = members
  }

  /// Removes the written members from the list changes of an object.
  ///
  /// Otherwise a removal would only cancel the recorded addition, and the next save would repeat removals that others
  /// may have reverted meanwhile.
  func forgetWrittenMembers(of model: some PersistentModel) {
    for (position, members) in written[ObjectIdentifier(model)] ?? [:] {
      let list = model._$state.pointee.extras?.list(at: position)
      for member in members { list?.forgetAddition(of: member) }
      list?.forgetRemovals()
    }
  }

  /// Discards the changes of an object whose current values are about to be written.
  ///
  /// - Parameter mask: The properties that are written.
  func forget(_ object: AnyObject, mask: UInt64) {
    guard let known = changes[ObjectIdentifier(object)] else { return }
    let left = known.filter { PropertyMask.bit($0.key) & mask == 0 }
    changes[ObjectIdentifier(object)] = left.isEmpty ? nil : left
    // Released after the mutation: deinitialisers of values may run code that changes something too.
    withExtendedLifetime(known) {}
  }

  /// The mask of changed references to objects that get their rows with the next save.
  func waitingMask(of model: some PersistentModel) -> UInt64 {
    (changes[ObjectIdentifier(model)] ?? [:]).reduce(0) { mask, change in
      let waits = change.value.value is OriginalReference && model._$waitsForNextSave(at: change.key)
      return waits ? mask | PropertyMask.bit(change.key) : mask
    }
  }

  /// The key of a reference before its change; 0 for none, nil if unknown.
  func formerKey(of object: AnyObject, at position: Int) -> Int64? {
    (changes[ObjectIdentifier(object)]?[position]?.value as? OriginalReference)?.key
  }

  /// Discards the changes of an object that was overruled.
  func forget(_ object: AnyObject) {
    guard !changes.isEmpty else { return }
    let known = changes.removeValue(forKey: ObjectIdentifier(object))
    withExtendedLifetime(known) {}
  }

  /// The mask of properties that were changed since the object was written.
  func mask(of object: AnyObject) -> UInt64 {
    guard !changes.isEmpty, let known = changes[ObjectIdentifier(object)] else { return 0 }
    return known.keys.reduce(0) { $0 | PropertyMask.bit($1) }
  }

  /// Records the written values of those properties as originals.
  ///
  /// - Parameter before: The original values of properties that the save has not written.
  func noteOriginals(of object: AnyObject, before: [Int: Any], in originals: inout OriginalValues) {
    for (position, original) in changes[ObjectIdentifier(object)] ?? [:] {
      guard let value = original.value ?? before[position] else { continue }
      originals.note(value, of: object, at: position)
    }
  }
}

extension SavedChanges.SavedEntity {
  /// The late changes of the context; nil if there are none.
  var lateChanges: LateChanges? {
    guard let late = map.ownContext?.lateChanges, !late.isEmpty else { return nil }
    return late
  }

  /// Discards late changes of relationships in columns of other rows, if all of those rows were written since.
  ///
  /// Writing a reference resets the rank of its row, so a list waits for rows that wait. So do additions to a list that
  /// was never read: their ranks were determined before the rows were written.
  func forgetLateInverses() {
    guard let lateChanges, !lateChanges.concernsColumns else { return }
    for relationship in map.entity.relationships
    where relationship.storage == .inverseColumn && relationship.position < PropertyMask.sharedPosition {
      let (position, mask) = (relationship.position, PropertyMask.bit(relationship.position))
      for object in inserted + changed {
        let list = map.entity.model(object)._$state.pointee.extras?.list(at: position)
        if list?.added.isEmpty != false { lateChanges.forget(object, mask: mask) }
      }
    }
  }

  /// Discards late changes of lists of pairs from before the pairs are written, which is after all rows.
  func forgetLatePairs() {
    guard let lateChanges else { return }
    let lists = map.entity.relationships.filter { relationship in
      guard case .links = relationship.storage else { return false }
      return relationship.position < PropertyMask.sharedPosition
    }
    let mask = lists.reduce(0) { $0 | PropertyMask.bit($1.position) }
    for object in inserted + changed { lateChanges.forget(object, mask: mask) }
  }

  /// Records the written values of objects that were changed later as their originals.
  func noteLateOriginals(in originals: inout OriginalValues) {
    guard let lateChanges else { return }
    let before = source.originals.grouped()
    for object in inserted + changed {
      lateChanges.noteOriginals(of: object, before: before[ObjectIdentifier(object)] ?? [:], in: &originals)
    }
  }
}

extension ModelContext {
  /// Runs the writing of a save, and records late changes.
  func notingLateChanges<Result>(_ write: () throws -> Result) rethrows -> Result {
    // An observer of a partial save may save again, inside of this save.
    let outer = (lateChanges, notesLateChanges)
    (lateChanges, notesLateChanges) = (nil, true)
    osd_begin_recording()
    defer {
      osd_end_recording()
      let former = lateChanges
      (lateChanges, notesLateChanges) = outer
      // Deinitialisers of its values may change models, which reads the property again.
      withExtendedLifetime(former) {}
    }
    return try write()
  }

  /// Records a property before its change while a save writes.
  func noteLateChange<T: PersistentModel>(of model: T, at position: Int, in map: IdentityMap) {
    listOfLateChanges().note(model, at: position, in: map)
    rowSession?.noteLateChange()
  }

  /// Records that a list has members that a save does not write.
  ///
  /// - Parameter members: The members that it writes.
  func postpone(_ model: some PersistentModel, at position: Int, besides members: ContiguousArray<AnyObject>) {
    listOfLateChanges().postpone(model, at: position, besides: members)
  }

  private func listOfLateChanges() -> LateChanges {
    let known = lateChanges ?? LateChanges()
    lateChanges = known
    return known
  }

  /// Begins a batch of rows. Each row gets the values that its object has when the row is written.
  func beginRows(of session: WriteSession) {
    rowSession = session
    if hasLateChanges { session.noteLateChange() }
  }

  func endRows() { rowSession = nil }

  /// Takes back the insertion of an object that code deleted while its row was written, by a save that failed.
  func withdrawDeleted<T: PersistentModel>(_ model: T) {
    model._$state.pointee.flags.remove(.deleted)
    model._$state.pointee.identityMap?.changes?.noteTakenBack()
    pending.deleted -= 1
    takeBackInsertion(of: model)
  }
}

extension ModelContext: LateChangeTracking {
  package var hasLateChanges: Bool { lateChanges?.isEmpty == false }

  /// Code of a context that writes in its deinit cannot insert models. Those that it relates are inserted afterwards.
  package var insertsRelatedLater: Bool { isHidden }

  package func forgetLateChanges(of object: any PersistentModel, mask: UInt64) {
    guard let lateChanges else { return }
    lateChanges.forget(object, mask: mask & ~lateChanges.waitingMask(of: object))
  }

  package func formerKey(of object: any PersistentModel, at position: Int) -> Int64? {
    lateChanges?.formerKey(of: object, at: position)
  }
}

extension PersistentModel {
  /// The value that a save may have written; nil for an unchanged property. For a reference the current one in any
  /// case: the row keeps it if the property is set to an object without a row.
  fileprivate func _$writtenValue(at position: Int, in map: IdentityMap) -> Any? {
    let state = _$state
    let property = map.entity.properties[position]
    guard !property.columns.isEmpty, state.pointee.flags.isDisjoint(with: [.gone, .unlinked]) else { return nil }
    guard let relationship = property.relationship else {
      let isWritten = state.pointee.flags.contains(.inserted) || state.pointee.dirty & property.bit != 0
      return isWritten ? self[keyPath: property.keyPath] : nil
    }
    let edit = _$edit(.read, at: position)
    guard edit.isLoaded else { return nil }
    return OriginalReference(
      object: edit.objects.first.map { EntityLayout.model($0, as: relationship.destinationType) })
  }

  /// Whether a to-one relationship refers to an object that was inserted after the save assigned keys.
  fileprivate func _$waitsForNextSave(at position: Int) -> Bool {
    guard let relationship = _$relationship(at: position), let object = _$edit(.read, at: position).objects.first else {
      return false
    }
    let related = EntityLayout.model(object, as: relationship.destinationType)
    return related._$state.pointee.waitsForNextSave(of: _$state.pointee.identityMap?.ownContext)
  }
}
