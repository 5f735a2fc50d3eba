import CSwiftRuntime

/// What code changed during a save in objects that the save had written already, such as the encoding of a value of a
/// later row. That waits for the next save.
///
/// While there is one, every change of a property says so, as where changes can be undone. Nobody else pays for it: what
/// a save has written stays marked as changed until it is settled, which is what keeps reads from replacing it.
final class LateChanges {
  private struct Original {
    /// What the save wrote; nil where the property was not among that, and the map keeps what it was.
    let value: Any?
  }

  /// By object and position. The save holds the objects that it is asked about.
  private var changes: [ObjectIdentifier: [Int: Original]] = [:]
  /// What was written of lists of which the rest has to wait, by owner and position.
  private var written: [ObjectIdentifier: [Int: ContiguousArray<AnyObject>]] = [:]

  init() { osd_begin_recording() }

  deinit { osd_end_recording() }

  var isEmpty: Bool { changes.isEmpty }

  /// Notes that a property is about to change.
  func note<T: PersistentModel>(_ model: T, at position: Int, in map: IdentityMap) {
    let identity = ObjectIdentifier(model)
    guard changes[identity]?[position] == nil else { return }
    // Read before the list is touched: reading may run code that changes something, too.
    let original = Original(value: model._$writtenValue(at: position, in: map))
    changes[identity, default: [:]][position] = original
  }

  /// Notes that a list has members that this save does not write.
  ///
  /// - Parameter members: Those that it writes.
  func postpone(_ model: some PersistentModel, at position: Int, besides members: ContiguousArray<AnyObject>) {
    changes[ObjectIdentifier(model), default: [:]][position] = Original(value: nil)
    written[ObjectIdentifier(model), default: [:]][position] = members
  }

  /// Makes the lists of an object forget the members that were written: to take one out would only take that news back.
  func settleLists(of model: some PersistentModel) {
    for (position, members) in written[ObjectIdentifier(model)] ?? [:] {
      let list = model._$state.pointee.extras?.list(at: position)
      for member in members { list?.forgetAddition(of: member) }
    }
  }

  /// Forgets the changes of objects that are about to be written, with what they have by now.
  ///
  /// - Parameter mask: The properties that are written.
  func forget(_ objects: ContiguousArray<AnyObject>, mask: UInt64) {
    guard !changes.isEmpty else { return }
    for object in objects {
      guard let known = changes[ObjectIdentifier(object)] else { continue }
      let left = known.filter { PropertyMask.bit($0.key) & mask == 0 }
      changes[ObjectIdentifier(object)] = left.isEmpty ? nil : left
    }
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

extension SavedChanges.EntityChanges {
  /// What was changed since it was written; nil when nothing was.
  var lateChanges: LateChanges? {
    guard let late = map.context?.lateChanges, !late.isEmpty else { return nil }
    return late
  }

  /// Forgets what was done to lists of pairs before they were written, which is after all rows.
  func forgetLatePairs() {
    guard let lateChanges else { return }
    let lists = map.entity.relationships.filter { relationship in
      guard case .links = relationship.storage else { return false }
      return relationship.position < PropertyMask.sharedPosition
    }
    lateChanges.forget(inserted + changed, mask: lists.reduce(0) { $0 | PropertyMask.bit($1.position) })
  }

  /// Notes of objects that were changed since they were written what they are in their rows.
  func noteLateOriginals(in originals: inout OriginalValues) {
    guard let lateChanges else { return }
    let before = map.originals.grouped()
    for object in inserted + changed {
      lateChanges.noteOriginals(of: object, before: before[ObjectIdentifier(object)] ?? [:], in: &originals)
    }
  }
}

extension ModelContext {
  /// Runs the writing of a save, which may run code that changes what was written.
  func notingLateChanges(_ write: () throws -> Void) rethrows {
    // An observer of a save that one store refused may save while the other's is told of.
    let outer = lateChanges
    lateChanges = LateChanges()
    defer { lateChanges = outer }
    try write()
  }

  /// Takes a new object back that code deleted while its row was written: the save failed, and there is no row.
  func withdrawDeleted<T: PersistentModel>(_ model: T) {
    model._$state.pointee.flags.remove(.deleted)
    model._$state.pointee.identityMap?.noteTakenBack()
    pending.deleted -= 1
    takeBackInsertion(of: model)
  }
}

extension PersistentModel {
  /// What a save may have written of a property that changes; nil where that was not changed before.
  fileprivate func _$writtenValue(at position: Int, in map: IdentityMap) -> Any? {
    let state = _$state
    let property = map.entity.properties[position]
    guard !property.columns.isEmpty, state.pointee.flags.isDisjoint(with: [.gone, .unlinked]),
      state.pointee.flags.contains(.inserted) || state.pointee.dirty & property.bit != 0
    else { return nil }
    guard let relationship = property.relationship else { return self[keyPath: property.keyPath] }
    let edit = _$edit(.read, at: position)
    guard edit.isLoaded else { return nil }
    return OriginalReference(
      object: edit.objects.first.map { EntityLayout.model($0, as: relationship.destinationType) })
  }
}
