import Foundation
import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

/// Late changes: code that a save executes, such as the encoding of a value, may change an object that the save has
/// already written. The next save writes these changes.
///
/// While a save writes, the change of any property is recorded, the same as for an undo. Changes at other times have no
/// overhead. Written objects stay marked as changed until the commit, so reads do not replace their values. Most saves
/// execute no such code, so this object is created by the first late change.
final class LateChanges {
  private struct Original {
    /// The value that the save wrote. Nil for a property that the save did not write; `OriginalValues` has its original
    /// value. For a reference it is always the target before the change, even if the save did not write it.
    let value: Any?
    let hasColumns: Bool
  }

  /// The late changes, by object and position. The save retains the objects.
  private var changes: [ObjectIdentifier: [Int: Original]] = [:]
  /// For each list that also has members for the next save, the members that this save writes, by object and position.
  private var written: [ObjectIdentifier: [Int: ContiguousArray<AnyObject>]] = [:]

  var isEmpty: Bool { changes.isEmpty }

  /// True if a late change concerns a column of the changed object's own row.
  var concernsColumns: Bool { changes.values.contains { $0.values.contains(where: \.hasColumns) } }

  /// Records a property before its change.
  func note<T: PersistentModel>(_ model: T, at position: Int, in map: IdentityMap) {
    let identity = ObjectIdentifier(model)
    guard changes[identity]?[position] == nil else { return }
    // Read before the dictionary is accessed: a read may execute code that makes late changes.
    let value = model._$writtenValue(at: position, in: map)
    let original = Original(value: value, hasColumns: !map.entity.properties[position].columns.isEmpty)
    changes[identity, default: [:]][position] = original
  }

  /// Records that a list has members that this save does not write.
  ///
  /// - Parameter members: The members that the save writes.
  func postpone(_ model: some PersistentModel, at position: Int, besides members: ContiguousArray<AnyObject>) {
    changes[ObjectIdentifier(model), default: [:]][position] = Original(value: nil, hasColumns: false)
    written[ObjectIdentifier(model), default: [:]][position] = members
  }

  /// Removes the members that the save wrote from the recorded list changes of an object.
  ///
  /// Otherwise, a later removal of such a member would only cancel the recorded addition. The next save would also
  /// repeat the written removals, although another context may have added the members again meanwhile.
  func forgetWrittenMembers(of model: some PersistentModel) {
    for (position, members) in written[ObjectIdentifier(model)] ?? [:] {
      let list = model._$state.pointee.extras?.list(at: position)
      for member in members { list?.forgetAddition(of: member) }
      list?.forgetRemovals()
    }
  }

  /// Forgets the late changes of properties whose current values are about to be written.
  ///
  /// - Parameter mask: The properties that are written.
  func forget(_ object: AnyObject, mask: UInt64) {
    guard let known = changes[ObjectIdentifier(object)] else { return }
    let left = known.filter { PropertyMask.bit($0.key) & mask == 0 }
    changes[ObjectIdentifier(object)] = left.isEmpty ? nil : left
    // Released after the mutation: deinitialisers of values may execute code that makes late changes.
    withExtendedLifetime(known) {}
  }

  /// The to-one relationships that were changed late and whose target only the next save inserts, as a mask.
  func waitingMask(of model: some PersistentModel) -> UInt64 {
    (changes[ObjectIdentifier(model)] ?? [:]).reduce(0) { mask, change in
      let waits = change.value.value is OriginalReference && model._$waitsForNextSave(at: change.key)
      return waits ? mask | PropertyMask.bit(change.key) : mask
    }
  }

  /// The target key of a to-one relationship before its late change; 0 for none, nil if unknown.
  func formerKey(of object: AnyObject, at position: Int) -> Int64? {
    (changes[ObjectIdentifier(object)]?[position]?.value as? OriginalReference)?.key
  }

  /// Discards the late changes of an object, after a conflict or an upsert has discarded its pending changes.
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

  /// For properties that were changed late, records the values that the save wrote as their original values.
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

  /// Forgets late changes of lists that are stored in their members' rows, if all these rows were written afterwards.
  ///
  /// If a column was changed late, no list is forgotten: the next save may write the reference to an owner, which would
  /// reset the list position of the row. Additions to an unread list are kept too: their positions were determined
  /// before the rows were written.
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

  /// Forgets late changes of lists with a junction table, whose rows are written next.
  func forgetLatePairs() {
    guard let lateChanges else { return }
    let lists = map.entity.relationships.filter { relationship in
      guard case .links = relationship.storage else { return false }
      return relationship.position < PropertyMask.sharedPosition
    }
    let mask = lists.reduce(0) { $0 | PropertyMask.bit($1.position) }
    for object in inserted + changed { lateChanges.forget(object, mask: mask) }
  }

  /// Records the written values of objects with late changes as their original values.
  func noteLateOriginals(in originals: inout OriginalValues) {
    guard let lateChanges else { return }
    let before = source.originals.grouped()
    for object in inserted + changed {
      lateChanges.noteOriginals(of: object, before: before[ObjectIdentifier(object)] ?? [:], in: &originals)
    }
  }
}

extension ModelContext {
  /// Runs the writing part of a save, and records the changes that its code makes meanwhile.
  func notingLateChanges<Result>(_ write: () throws -> Result) rethrows -> Result {
    // An observer of a partial save may save again, inside of this save.
    let outer = (lateChanges, notesLateChanges)
    (lateChanges, notesLateChanges) = (nil, true)
    osd_begin_recording()
    defer {
      osd_end_recording()
      let former = lateChanges
      (lateChanges, notesLateChanges) = outer
      // Deinitialisers of the former values may change models, which reads `lateChanges` again.
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
  /// - Parameter members: The members that the save writes.
  func postpone(_ model: some PersistentModel, at position: Int, besides members: ContiguousArray<AnyObject>) {
    listOfLateChanges().postpone(model, at: position, besides: members)
  }

  private func listOfLateChanges() -> LateChanges {
    let known = lateChanges ?? LateChanges()
    lateChanges = known
    return known
  }

  /// Begins a batch of rows. Each row gets the values that its object has at the time of the write.
  func beginRows(of session: WriteSession) {
    rowSession = session
    if hasLateChanges { session.noteLateChange() }
  }

  func endRows() { rowSession = nil }

  /// After a failed save, removes an object that code deleted while the save wrote the object's first row.
  func withdrawDeleted<T: PersistentModel>(_ model: T) {
    model._$state.pointee.flags.remove(.deleted)
    model._$state.pointee.identityMap?.changes?.noteTakenBack()
    pending.deleted -= 1
    takeBackInsertion(of: model)
  }
}

extension ModelContext: LateChangeTracking {
  package var hasLateChanges: Bool { lateChanges?.isEmpty == false }

  /// True while the context is in its deinit, where code cannot insert models. Related models are then inserted later.
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
  /// The present value of a property that a save may have written; nil for an unchanged attribute. For a reference it
  /// is always the present target: the row keeps this target if the property is then set to an object without a row.
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

/// Validates the relationships of a save before any row is written.
struct SaveValidation {
  private let changes: SavedChanges
  private let context: ModelContext

  init(_ changes: SavedChanges, in context: ModelContext) {
    self.changes = changes
    self.context = context
  }

  /// - Throws: `SwiftDataError.modelValidationFailure` with every violation, or the error of a failed read.
  func run() throws {
    try refuseForeignReferences()
    if !context.unreadModels.isEmpty { try context.throwFailedReads(isReported: false) }
    var violations = orphans()
    for entity in changes.entities where entity.map.entity.hasRelationships {
      if !entity.source.keepsRelationships { try requireRelationships(of: entity, as: entity.map.entity.modelType) }
      for relationship in entity.map.entity.relationships {
        violations += try check(relationship, entity, as: entity.map.entity.modelType)
      }
    }
    try Self.refuse(violations)
  }

  /// - Throws: `SwiftDataError.modelValidationFailure` with all violations, if there are any.
  static func refuse(_ violations: [String]) throws {
    guard let first = violations.first else { return }
    let text = violations.count == 1 ? first : "\(violations.count) violations:\n" + violations.joined(separator: "\n")
    throw SwiftDataError(.modelValidationFailure, text)
  }

  private func refuseForeignReferences() throws {
    guard !context.foreignReferences.isEmpty else { return }
    context.exchange(\.foreignReferences, for: context.foreignReferences.filter { isHeld($0, by: $0.model) })
    guard let reference = context.foreignReferences.first else { return }
    throw SwiftDataError(
      .modelOfAnotherContext,
      "\(reference.relationship.path) holds \(ModelContext.name(reference.related)), which belongs to another "
        + "context; look that model up in this context by its persistentModelID")
  }

  private func isHeld<T: PersistentModel>(_ foreignReference: ForeignReference, by model: T) -> Bool {
    guard model._$state.pointee.identityMap?.context === context, !model.isDeleted else { return false }
    return model._$edit(.read, at: foreignReference.relationship.position).objects.contains {
      $0 === foreignReference.related
    }
  }

  /// Throws if generated code does not maintain a relationship. Each context checks one object of each entity.
  ///
  /// `@Model` sees only the spelling of a property's type. A type alias may give a model the name of a value type, such
  /// as `Date`. Neither the macro nor the schema can detect that.
  private func requireRelationships<T: PersistentModel>(of entity: SavedChanges.SavedEntity, as type: T.Type) throws {
    guard let object = entity.inserted.first ?? entity.changed.first else { return }
    let model = unsafeDowncast(object, to: T.self)
    for relationship in entity.map.entity.relationships where T._$isGenerated {
      guard !model._$edit(.find, at: relationship.position).isHandled else { continue }
      throw SwiftDataError(
        .invalidSchema,
        "\(relationship.path): its type \(relationship.destination) is a model, and @Model takes it for a value by the name "
          + "with which it is written, so that neither an inverse nor a list would be kept. Write the name of the model, "
          + "not that of a type alias, or @Relationship before the property.")
    }
    entity.source.keepsRelationships = true
  }

  // MARK: Lost owners

  private func orphans() -> [String] {
    guard !context.orphans.isEmpty else { return [] }
    return context.orphans.all.compactMap { orphan in describe(orphan, orphan.object) }
  }

  private func describe<T: PersistentModel>(_ orphan: Orphan, _ object: T) -> String? {
    let state = object._$state
    guard let map = state.pointee.identityMap, map.context === context, !object.isDeleted,
      let relationship = map.entity.relationship(at: orphan.position),
      object._$relatedObject(at: orphan.position) === orphan.owner
    else { return nil }
    let owner = ModelContext.name(orphan.owner)
    let reason = orphan.owner.isDeleted ? "\(owner) is deleted" : "\(owner) gave it up"
    return "\(relationship.path) of \(ModelContext.name(object)) must have a value, but \(reason); "
      + "set it to another \(relationship.destination), or delete the \(relationship.entity)"
  }

  // MARK: Counts and rules

  private func check<T: PersistentModel>(
    _ relationship: RelationshipLayout, _ changes: SavedChanges.SavedEntity, as type: T.Type
  ) throws -> [String] {
    var violations: [String] = []
    if relationship.isRequired || relationship.isCounted {
      violations += try changes.inserted.compactMap {
        try count(unsafeDowncast($0, to: T.self), relationship, changes.map)
      }
      let changed: ContiguousArray<AnyObject> = changes.changed.filter {
        isConcerned(unsafeDowncast($0, to: T.self), relationship)
      }
      changes.map.store.prefetchMembers(relationship, of: changed, in: changes.map, as: type)
      violations += try changed.compactMap { try count(unsafeDowncast($0, to: T.self), relationship, changes.map) }
    }
    if relationship.deleteRule == .deny {
      violations += try changes.deleted.compactMap {
        try denial(unsafeDowncast($0, to: T.self), relationship, changes.map)
      }
    }
    return violations
  }

  private func isConcerned<T: PersistentModel>(_ object: T, _ relationship: RelationshipLayout) -> Bool {
    object._$state.pointee.dirty & PropertyMask.bit(relationship.position) != 0
  }

  private func count<T: PersistentModel>(
    _ object: T, _ relationship: RelationshipLayout, _ map: IdentityMap
  ) throws -> String? {
    let count = try object._$countRelatedModels(relationship, in: map)
    let path = "\(relationship.path) of \(ModelContext.name(object))"
    if relationship.isRequired, count == 0 { return "\(path) must have a value; set it before saving" }
    // Apple documents this: an optional relationship that is nil is not counted.
    if relationship.isOptional, count == 0 { return nil }
    if count < relationship.minimumCount {
      return "\(path) has \(count) models, and must have at least \(relationship.minimumCount)"
    }
    if relationship.maximumCount > 0, count > relationship.maximumCount {
      return "\(path) has \(count) models, and may have at most \(relationship.maximumCount)"
    }
    return nil
  }

  private func denial<T: PersistentModel>(
    _ object: T, _ relationship: RelationshipLayout, _ map: IdentityMap
  ) throws -> String? {
    let left = try object._$readRelatedModels(relationship, in: map).filter { !$0.isDeleted }
    guard let first = left.first else { return nil }
    let others = left.count > 1 ? " and \(left.count - 1) more" : ""
    return "\(ModelContext.name(object)) cannot be deleted: \(relationship.path) denies it while there is "
      + "\(ModelContext.name(first))\(others); delete or change those first"
  }
}

extension RelationshipLayout {
  /// Whether the schema limits the number of models in the list.
  fileprivate var isCounted: Bool { isToMany && (minimumCount > 0 || maximumCount > 0) }
}
