import PersistenceRuntime
import _CSwiftRuntime

/// The deletion of a model and of everything that delete rules cascade to. Confined to the context.
struct Deletion {
  private let context: ModelContext
  private var queue: ContiguousArray<any PersistentModel> = []
  /// The entities of the deleted objects, with superentities, if one-way relationships may refer to these entities.
  private var orphanedNames: Set<String> = []
  /// The deleted objects of the entities in ``orphanedNames``.
  private var orphaning: ContiguousArray<AnyObject> = []
  /// Deleted objects without a row. No save will release their references to other objects.
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
    // A queue replaces recursion, because the depth of a graph is limited only by the number of its objects.
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
    // Observers of the inverses may change objects. These changes precede the deletion.
    while osd_is_observed(), announce(relatedModels(of: model, in: map, besides: rows), of: model, &ends) {
      guard state.pointee.identityMap?.changes === changes, state.pointee.flags.isDisjoint(with: [.deleted, .gone])
      else { return ends.conclude() }
    }
    context.didTouch(model, in: map)
    context.undoRecorder?.willDelete(model, in: map)
    // A deleted model keeps its last values, so they are read before the row is deleted.
    if state.pointee.flags.contains(.fault), let failure = model._$fulfill() {
      map.noteReadFailure(failure)
      // Without the row, the deletion reads the related objects instead of only their keys.
      rows = []
      // An undo would restore the row without its values.
      if context.undoRecorder != nil { context.noteIncompleteRow(of: model) }
    }
    if !rows.isEmpty, osd_is_observed() { rows = context.stillCascading(rows) }
    let related = relatedModels(of: model, in: map, besides: rows)
    if map.store.oneWayDestinations.contains(map.entity.name) {
      noteOrphaned(map.entity)
      orphaning.append(model)
    }
    // A new object that has a key is being written by a running save. The next save deletes its row.
    let isUnsaved = state.pointee.flags.contains(.inserted) && state.pointee.primaryKey == 0
    if !isUnsaved { mark(model, in: changes) }
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

  func mark<T: PersistentModel>(_ model: T, in changes: EntityChanges) {
    context.takeBackChange(of: model)
    model._$state.pointee.flags.insert(.deleted)
    changes.deleted.append(model)
    context.pending.deleted += 1
  }

  private typealias Related = (relationship: RelationshipLayout, models: ContiguousArray<any PersistentModel>)

  /// - Parameter rows: The rows of the relationships that are not read.
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
    // The deletion need not read a relationship without an inverse if its rule neither cascades nor denies.
    if relationship.inverse == nil, relationship.deleteRule != .cascade, relationship.deleteRule != .deny {
      return false
    }
    return relationship.deleteRule != .noAction
  }

  /// Continues a deletion with a relationship that could not be read before.
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
  /// The objects of a relationship, read on demand.
  ///
  /// - Throws: The error of the read.
  func _$readRelatedModels(
    _ relationship: RelationshipLayout, in map: IdentityMap
  ) throws -> ContiguousArray<any PersistentModel> {
    let models = _$relatedModels(relationship, in: map)
    // A dangling reference counts as read: there is no object.
    if let failure = _$state.pointee.failedRead(at: relationship.position), relationship.isToMany || !failure.isOfValue
    {
      throw failure.cause
    }
    return models
  }

  /// The number of objects of a relationship, read on demand.
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

  /// The objects of a relationship, read on demand. Empty after an error, which is recorded.
  func _$relatedModels(_ relationship: RelationshipLayout, in map: IdentityMap) -> ContiguousArray<any PersistentModel>
  {
    _$applyLinks()
    var edit = _$edit(.read, at: relationship.position)
    if !edit.isLoaded, let members = _$modifiedMembers(at: relationship.position) {
      edit.objects = members
    } else if !edit.isLoaded {
      // The getter reads the relationship.
      _ = self[keyPath: map.entity.properties[relationship.position].keyPath]
      edit = _$edit(.read, at: relationship.position)
    }
    return ContiguousArray(edit.objects.lazy.map { EntityLayout.model($0, as: relationship.destinationType) })
  }
}

// Objects that return to a context, because their deletion is undone or they are inserted again. While such an object
// was deleted, its relationships were not updated, and other objects removed it from their relationships.

extension ModelContext {
  /// Removes deleted objects from the relationships of a returning model.
  /// A reference in a column stays if another context deleted its row: the save finds the reference and applies its
  /// conflict policy. A required reference stays too, and then the save throws.
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

  /// Restores the inverses of a returning model.
  ///
  /// - Parameter yields: Whether a related object that now refers to another model keeps that model. The returning
  ///   model then releases the related object, because an old relationship must not change the objects of the context.
  func relateAgain<T: PersistentModel>(_ model: T, in map: IdentityMap, yields: Bool) {
    for relationship in map.entity.relationships {
      guard let inverse = relationship.inverse else { continue }
      for object in model._$edit(.read, at: relationship.position).objects {
        let related = EntityLayout.model(object, as: relationship.destinationType)
        guard related._$state.pointee.identityMap?.context === self, !related.isDeleted else { continue }
        // The list may still contain members whose removal is pending.
        if related._$state.pointee.flags.contains(.stale) { related._$flushStale() }
        if yields, related._$holdsOther(than: model, inverse) {
          model._$letGo(of: related, relationship)
        } else if !related._$lists(model, inverse) {
          // The inverse may still be set if both objects left the context together, or the delete rule kept it.
          model._$link(related, relationship)
        }
      }
    }
  }
}

extension PersistentModel {
  /// Whether a to-one inverse refers to another object.
  fileprivate func _$holdsOther(than model: some PersistentModel, _ inverse: RelationshipLayout.Inverse) -> Bool {
    guard !inverse.isToMany, let held = _$relatedObject(at: inverse.position) else { return false }
    return held !== model
  }

  /// Whether a loaded to-many inverse contains an object.
  ///
  /// Many objects may return to one list. The first of them changes the list. The search in a changed list uses a set
  /// of its members; the search in an unchanged list reads the array.
  fileprivate func _$lists(_ model: some PersistentModel, _ inverse: RelationshipLayout.Inverse) -> Bool {
    guard inverse.isToMany, _$edit(.find, at: inverse.position).isLoaded else { return false }
    let state = _$state
    let isChanged = state.pointee.dirty & PropertyMask.bit(inverse.position) != 0
    guard isChanged || state.pointee.hasLeft else { return _$edit(.find, model, at: inverse.position).isFound }
    return _$hasMember(model, state.pointee.listChanges(at: inverse.position))
  }
}
