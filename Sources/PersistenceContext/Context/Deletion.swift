import PersistenceRuntime
import _CSwiftRuntime

/// The deletion of a model and of all models that the deletion cascades to. Only used on the context's thread or actor.
struct Deletion {
  private let context: ModelContext
  private var queue: ContiguousArray<any PersistentModel> = []
  /// The names of the deleted objects' entities and superentities to which relationships without an inverse may refer.
  private var orphanedNames: Set<String> = []
  /// The deleted objects of the entities in ``orphanedNames``.
  private var orphaning: ContiguousArray<AnyObject> = []
  /// Deleted objects that were never saved. No save writes them, so the deletion itself discards their list changes.
  private var withdrawn: ContiguousArray<any PersistentModel> = []

  init(in context: ModelContext) {
    self.context = context
  }

  mutating func run(from model: some PersistentModel) {
    delete(model)
    runQueue()
  }

  private mutating func runQueue() {
    var next = 0
    // A queue instead of recursion: a cascade along a chain of many objects could overflow the stack.
    while next < queue.count {
      let model = queue[next]
      delete(model)
      next += 1
    }
    if !orphanedNames.isEmpty { OneWayReferences(context: context).drop(orphaning, of: orphanedNames) }
    for model in withdrawn { model._$forgetUnlinked() }
  }

  private mutating func delete<T: PersistentModel>(_ model: T) {
    let state = model._$state
    guard let changes = state.pointee.identityMap?.changes, changes.context === context else { return }
    let map = changes.map
    guard state.pointee.flags.isDisjoint(with: [.deleted, .gone]) else { return }
    model._$applyLinks()
    var rows = map.entity.hasRelationships ? context.cascadedRows(of: model, in: map) : []
    var ends = AnnouncedEnds()
    // Observers of the inverses may change objects. Their changes must be complete before the deletion begins.
    while osd_is_observed(), announce(relatedModels(of: model, in: map, besides: rows), of: model, &ends) {
      guard state.pointee.identityMap?.changes === changes, state.pointee.flags.isDisjoint(with: [.deleted, .gone])
      else { return ends.conclude() }
    }
    context.didTouch(model, in: map)
    context.undoRecorder?.willDelete(model, in: map)
    // The program can still read the values of a deleted model, so they are read before the row is deleted.
    if state.pointee.flags.contains(.fault), let failure = model._$fulfill() {
      map.noteReadFailure(failure)
      // The row could not be read, so the deletion reads the related objects instead of only their keys.
      rows = []
      // Without these values an undo could not restore the row. So the next save reads the row before it deletes it.
      if context.undoRecorder != nil { context.noteIncompleteRow(of: model) }
    }
    // If an observer has read or changed a relationship, its objects are deleted instead.
    if !rows.isEmpty, osd_is_observed() { rows.removeAll { !context.goesByKeys($0.relationship, of: model, in: map) } }
    let related = relatedModels(of: model, in: map, besides: rows)
    if map.store.oneWayDestinations.contains(map.entity.name) {
      noteOrphaned(map.entity)
      orphaning.append(model)
    }
    // If a new object already has a key, a running save is inserting its row. Then the next save deletes the row.
    let isUnsaved = state.pointee.flags.contains(.inserted) && state.pointee.primaryKey == 0
    if !isUnsaved { context.markDeleted(model, in: changes) }
    for rows in rows { queue.append(contentsOf: context.mark(rows)) }
    ends.apply {
      for (relationship, models) in related {
        for other in models { apply(relationship, of: model, to: other) }
      }
    }
    if isUnsaved {
      context.takeBackInsertion(of: model)
      if map.entity.hasRelationships { withdrawn.append(model) }
    }
    context.noteChange(ofRowsIn: map)
    ends.conclude()
  }

  private func announce(_ related: [Related], of model: some PersistentModel, _ ends: inout AnnouncedEnds) -> Bool {
    for (relationship, models) in related where relationship.deleteRule == .nullify && relationship.inverse != nil {
      let leaving = ContiguousArray(models.lazy.map { $0 as AnyObject })
      model._$addEnds(&ends, leaving: leaving, entering: [], relationship)
    }
    return ends.announce {}
  }

  private mutating func noteOrphaned(_ entity: EntityLayout) {
    guard orphanedNames.insert(entity.name).inserted else { return }
    orphanedNames.formUnion(entity.inheritance?.superentityNames ?? [])
  }

  private typealias Related = (relationship: RelationshipLayout, models: ContiguousArray<any PersistentModel>)

  /// - Parameter rows: The cascaded rows. Their relationships are not read.
  private func relatedModels<T: PersistentModel>(
    of model: T, in map: IdentityMap, besides rows: [CascadedRows] = []
  ) -> [Related] {
    map.entity.relationships.compactMap { relationship in
      guard concerns(relationship), !rows.contains(where: { $0.relationship === relationship }) else { return nil }
      let wasUnread = model._$state.pointee.failedRead(at: relationship.position) != nil
      let models = model._$relatedModels(relationship, in: map)
      context.noteIncomplete(model, relationship.position, wasUnread: wasUnread)
      return models.isEmpty ? nil : (relationship, models)
    }
  }

  private func concerns(_ relationship: RelationshipLayout) -> Bool {
    // Without an inverse, the rule `nullify` changes no other object, so the relationship need not be read.
    if relationship.inverse == nil, relationship.deleteRule != .cascade, relationship.deleteRule != .deny {
      return false
    }
    return relationship.deleteRule != .noAction
  }

  /// Applies the delete rule of a relationship that was not or could not be read when its owner was deleted.
  mutating func resume<T: PersistentModel>(_ relationship: RelationshipLayout, of model: T, in map: IdentityMap) {
    guard concerns(relationship) else { return }
    for other in model._$relatedModels(relationship, in: map) { apply(relationship, of: model, to: other) }
    runQueue()
  }

  private mutating func apply(
    _ relationship: RelationshipLayout, of model: some PersistentModel, to other: any PersistentModel
  ) {
    guard !other.isDeleted else { return }
    switch relationship.deleteRule {
    case .cascade: queue.append(other)
    case .nullify: model._$unlink(other, relationship)
    case .deny, .noAction: break
    }
  }
}

extension PersistentModel {
  /// The objects of a relationship. Reads the relationship if it is not loaded.
  ///
  /// - Throws: The error of the read.
  func _$readRelatedModels(
    _ relationship: RelationshipLayout, in map: IdentityMap
  ) throws -> ContiguousArray<any PersistentModel> {
    let models = _$relatedModels(relationship, in: map)
    // If the row of a to-one reference is missing, the read counts as successful and the relationship as empty.
    if let failure = _$state.pointee.failedRead(at: relationship.position), relationship.isToMany || !failure.isOfValue
    {
      throw failure.cause
    }
    return models
  }

  /// The number of objects of a relationship. Reads the relationship if it is not loaded.
  ///
  /// - Throws: The error of the read.
  func _$countRelatedModels(_ relationship: RelationshipLayout, in map: IdentityMap) throws -> Int {
    _$applyLinks()
    let edit = _$edit(.read, at: relationship.position)
    guard edit.isLoaded, _$state.pointee.failedRead(at: relationship.position) == nil else {
      return try _$readRelatedModels(relationship, in: map).count
    }
    return edit.objects.count
  }

  /// The objects of a relationship, which is read if it is not loaded. Empty if the read fails; the error is recorded.
  func _$relatedModels(_ relationship: RelationshipLayout, in map: IdentityMap) -> ContiguousArray<any PersistentModel>
  {
    _$applyLinks()
    var edit = _$edit(.read, at: relationship.position)
    if !edit.isLoaded, let members = _$modifiedMembers(at: relationship.position) {
      edit.objects = members
    } else if !edit.isLoaded {
      // The getter of the property reads the relationship from the store.
      _ = self[keyPath: map.entity.properties[relationship.position].keyPath]
      edit = _$edit(.read, at: relationship.position)
    }
    return ContiguousArray(edit.objects.lazy.map { EntityLayout.model($0, as: relationship.destinationType) })
  }
}

// An object returns to its context if its deletion is undone or the program inserts it again. While the object was
// deleted, its own relationships were not updated, and other objects removed it from their relationships.

extension ModelContext {
  /// Removes deleted objects from the relationships of a returning model, except for two kinds of references. If
  /// another context deleted the target row of a reference in a column, the reference stays, and the save applies the
  /// conflict policy. If a reference is required, it stays, and the save throws.
  func dropDeleted<T: PersistentModel>(from model: T, in map: IdentityMap) {
    for relationship in map.entity.relationships
    where relationship.inverseDeleteRule != .noAction && (relationship.isToMany || relationship.isOptional) {
      for object in model._$edit(.read, at: relationship.position).objects {
        let related = EntityLayout.model(object, as: relationship.destinationType)
        guard related._$state.pointee.identityMap?.context === self, related.isDeleted else { continue }
        if relationship.storage == .column, related._$state.pointee.flags.contains(.lost) { continue }
        model._$letGo(of: related, relationship)
      }
    }
  }

  /// Adds a returning model to the inverses of its related objects again.
  ///
  /// - Parameter yields: Applies if the to-one inverse of a related object now refers to another model. If true, the
  ///   related object keeps the other model, and the returning model removes the related object. If false, the related
  ///   object refers to the returning model again.
  func relateAgain<T: PersistentModel>(_ model: T, in map: IdentityMap, yields: Bool) {
    for relationship in map.entity.relationships {
      guard let inverse = relationship.inverse else { continue }
      for object in model._$edit(.read, at: relationship.position).objects {
        let related = EntityLayout.model(object, as: relationship.destinationType)
        guard related._$state.pointee.identityMap?.context === self, !related.isDeleted else { continue }
        // Recorded removals from the inverse list may not be applied yet. They are applied before the list is searched.
        if related._$state.pointee.flags.contains(.stale) { related._$flushStale() }
        if yields, related._$holdsOther(than: model, inverse) {
          model._$letGo(of: related, relationship)
        } else if !related._$lists(model, inverse) {
          // The inverse may still be set: both objects left the context together, or the delete rule kept it.
          model._$link(related, relationship)
        }
      }
    }
  }
}

extension PersistentModel {
  /// Returns true if the inverse is a to-one relationship that refers to an object other than the model.
  fileprivate func _$holdsOther(than model: some PersistentModel, _ inverse: RelationshipLayout.Inverse) -> Bool {
    guard !inverse.isToMany, let held = _$relatedObject(at: inverse.position) else { return false }
    return held !== model
  }

  /// Returns true if the inverse is a loaded to-many relationship that contains the model.
  ///
  /// Many objects may return to one list. The first of them changes the list. A changed list has a set of its members,
  /// so the other objects are looked up in this set; an unchanged list is searched from start to end.
  fileprivate func _$lists(_ model: some PersistentModel, _ inverse: RelationshipLayout.Inverse) -> Bool {
    guard inverse.isToMany, _$edit(.find, at: inverse.position).isLoaded else { return false }
    let state = _$state
    let isChanged = state.pointee.dirty & PropertyMask.bit(inverse.position) != 0
    guard isChanged || state.pointee.hasLeft else { return _$edit(.find, model, at: inverse.position).isFound }
    return _$hasMember(model, state.pointee.listChanges(at: inverse.position))
  }
}
