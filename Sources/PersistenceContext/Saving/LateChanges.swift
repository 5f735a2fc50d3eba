import PersistenceRuntime
import _CSwiftRuntime

/// What code changed during a save in objects that the save had written already, such as the encoding of a value of a
/// later row. That waits for the next save.
///
/// While a save writes, every change of a property says so, as where changes can be undone. Without a save that writes,
/// changes cost nothing more: what a save has written stays marked as changed until it is settled, which is what keeps
/// reads from replacing it. Most saves run no such code, so the first change makes the list.
final class LateChanges {
  private struct Original {
    /// What the save wrote; nil where the property was not among that, and `OriginalValues` has what it was. Of a
    /// reference always what it was.
    let value: Any?
    let hasColumns: Bool
  }

  /// By object and position. The save holds the objects that it is asked about.
  private var changes: [ObjectIdentifier: [Int: Original]] = [:]
  /// What was written of lists of which the rest has to wait, by owner and position.
  private var written: [ObjectIdentifier: [Int: ContiguousArray<AnyObject>]] = [:]

  var isEmpty: Bool { changes.isEmpty }

  /// Whether there is a change of something that is in the object's own row.
  var concernsColumns: Bool { changes.values.contains { $0.values.contains(where: \.hasColumns) } }

  /// Notes that a property is about to change.
  func note<T: PersistentModel>(_ model: T, at position: Int, in map: IdentityMap) {
    let identity = ObjectIdentifier(model)
    guard changes[identity]?[position] == nil else { return }
    // Read before the list is touched: reading may run code that changes something, too.
    let value = model._$writtenValue(at: position, in: map)
    let original = Original(value: value, hasColumns: !map.entity.properties[position].columns.isEmpty)
    changes[identity, default: [:]][position] = original
  }

  /// Notes that a list has members that this save does not write.
  ///
  /// - Parameter members: Those that it writes.
  func postpone(_ model: some PersistentModel, at position: Int, besides members: ContiguousArray<AnyObject>) {
    changes[ObjectIdentifier(model), default: [:]][position] = Original(value: nil, hasColumns: false)
    written[ObjectIdentifier(model), default: [:]][position] = members
  }

  /// Makes the lists of an object forget what was written of them: to take a member out would only take that news back,
  /// and the next save would take out again what others may have put back meanwhile.
  func forgetWrittenMembers(of model: some PersistentModel) {
    for (position, members) in written[ObjectIdentifier(model)] ?? [:] {
      let list = model._$state.pointee.extras?.list(at: position)
      for member in members { list?.forgetAddition(of: member) }
      list?.forgetRemovals()
    }
  }

  /// Forgets the changes of an object that is about to be written, with what it has by now.
  ///
  /// - Parameter mask: The properties that are written.
  func forget(_ object: AnyObject, mask: UInt64) {
    guard let known = changes[ObjectIdentifier(object)] else { return }
    let left = known.filter { PropertyMask.bit($0.key) & mask == 0 }
    changes[ObjectIdentifier(object)] = left.isEmpty ? nil : left
  }

  /// The references of an object that code made lead to what gets its row with the next save.
  func waitingMask(of model: some PersistentModel) -> UInt64 {
    (changes[ObjectIdentifier(model)] ?? [:]).reduce(0) { mask, change in
      let waits = change.value.value is OriginalReference && model._$waitsForNextSave(at: change.key)
      return waits ? mask | PropertyMask.bit(change.key) : mask
    }
  }

  /// The key of the row that a reference led to before code changed it; 0 for none, nil where that is not known.
  func formerKey(of object: AnyObject, at position: Int) -> Int64? {
    (changes[ObjectIdentifier(object)]?[position]?.value as? OriginalReference)?.key
  }

  /// Forgets the changes of an object that gives way to something else.
  func forget(_ object: AnyObject) {
    if !changes.isEmpty { changes[ObjectIdentifier(object)] = nil }
  }

  /// The properties of an object that were changed since it was written.
  func mask(of object: AnyObject) -> UInt64 {
    guard !changes.isEmpty, let known = changes[ObjectIdentifier(object)] else { return 0 }
    return known.keys.reduce(0) { $0 | PropertyMask.bit($1) }
  }

  /// Notes what those properties are in the row.
  ///
  /// - Parameter before: What properties were that the save has not written.
  func noteOriginals(of object: AnyObject, before: [Int: Any], in originals: inout OriginalValues) {
    for (position, original) in changes[ObjectIdentifier(object)] ?? [:] {
      guard let value = original.value ?? before[position] else { continue }
      originals.note(value, of: object, at: position)
    }
  }
}

extension SavedChanges.SavedEntity {
  /// What was changed since it was written; nil when nothing was.
  var lateChanges: LateChanges? {
    guard let late = map.context?.lateChanges, !late.isEmpty else { return nil }
    return late
  }

  /// Forgets what was done to relationships that are kept in the rows of others, if all of these were written since.
  ///
  /// Where a row stands in a list is lost when its reference is written, so the list waits for rows that wait. So does
  /// what was added to a list that nobody has read: where that belongs was looked up before the rows.
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

  /// Forgets what was done to lists of pairs before they were written, which is after all rows.
  func forgetLatePairs() {
    guard let lateChanges else { return }
    let lists = map.entity.relationships.filter { relationship in
      guard case .links = relationship.storage else { return false }
      return relationship.position < PropertyMask.sharedPosition
    }
    let mask = lists.reduce(0) { $0 | PropertyMask.bit($1.position) }
    for object in inserted + changed { lateChanges.forget(object, mask: mask) }
  }

  /// Notes of objects that were changed since they were written what they are in their rows.
  func noteLateOriginals(in originals: inout OriginalValues) {
    guard let lateChanges else { return }
    let before = source.originals.grouped()
    for object in inserted + changed {
      lateChanges.noteOriginals(of: object, before: before[ObjectIdentifier(object)] ?? [:], in: &originals)
    }
  }
}

extension ModelContext {
  /// Runs the writing of a save, which may run code that changes what was written.
  func notingLateChanges<Result>(_ write: () throws -> Result) rethrows -> Result {
    // An observer of a save that one store refused may save while the other's is told of.
    let outer = (lateChanges, notesLateChanges)
    (lateChanges, notesLateChanges) = (nil, true)
    osd_begin_recording()
    defer {
      osd_end_recording()
      (lateChanges, notesLateChanges) = outer
    }
    return try write()
  }

  /// Notes that a property is about to change while a save writes.
  func noteLateChange<T: PersistentModel>(of model: T, at position: Int, in map: IdentityMap) {
    listOfLateChanges().note(model, at: position, in: map)
    rowSession?.noteLateChange()
  }

  /// Notes that a list has members that a save does not write.
  ///
  /// - Parameter members: Those that it writes.
  func postpone(_ model: some PersistentModel, at position: Int, besides members: ContiguousArray<AnyObject>) {
    listOfLateChanges().postpone(model, at: position, besides: members)
  }

  private func listOfLateChanges() -> LateChanges {
    let known = lateChanges ?? LateChanges()
    lateChanges = known
    return known
  }

  /// Begins to write a batch of rows, each with what its object has by then.
  func beginRows(of session: WriteSession) {
    rowSession = session
    if hasLateChanges { session.noteLateChange() }
  }

  func endRows() { rowSession = nil }

  /// Takes a new object back that code deleted while its row was written: the save failed, and there is no row.
  func withdrawDeleted<T: PersistentModel>(_ model: T) {
    model._$state.pointee.flags.remove(.deleted)
    model._$state.pointee.identityMap?.changes?.noteTakenBack()
    pending.deleted -= 1
    takeBackInsertion(of: model)
  }
}

extension ModelContext: LateChangeTracking {
  package var hasLateChanges: Bool { lateChanges?.isEmpty == false }

  package func forgetLateChanges(of object: any PersistentModel, mask: UInt64) {
    guard let lateChanges else { return }
    lateChanges.forget(object, mask: mask & ~lateChanges.waitingMask(of: object))
  }

  package func formerKey(of object: any PersistentModel, at position: Int) -> Int64? {
    lateChanges?.formerKey(of: object, at: position)
  }
}

extension PersistentModel {
  /// What a save may have written of a property that changes; nil where that was not changed before. Of a reference
  /// what it holds in either case: the row keeps that if it comes to lead to an object without one.
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

  /// Whether a to-one relationship holds what came into the context when the keys of what a save writes had been given.
  fileprivate func _$waitsForNextSave(at position: Int) -> Bool {
    guard let relationship = _$relationship(at: position), let object = _$edit(.read, at: position).objects.first else {
      return false
    }
    let related = EntityLayout.model(object, as: relationship.destinationType)
    return related._$state.pointee.waitsForNextSave(of: _$state.pointee.identityMap?.context)
  }
}
