import PersistenceRuntime

/// The deletion of a model with everything that the delete rules take along.
struct Deletion {
  private let context: ModelContext
  private var queue: ContiguousArray<any PersistentModel> = []
  /// The entities of which objects went that relationships without an inverse may lead to, and what these inherit from.
  private var orphanedNames: Set<String> = []
  /// Those objects.
  private var orphaning: ContiguousArray<AnyObject> = []
  /// Objects that were never saved, and that no save is to let go of.
  private var withdrawn: ContiguousArray<any PersistentModel> = []

  init(in context: ModelContext) {
    self.context = context
  }

  mutating func run(from model: some PersistentModel) {
    queue.append(model)
    runQueue()
  }

  private mutating func runQueue() {
    var next = 0
    // One after the other and not each inside the other: a graph may be as deep as it is large.
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
    context.didTouch(model, in: map)
    context.undoRecorder?.willDelete(model, in: map)
    // The row goes, and a deleted model still reads as its last values.
    if state.pointee.flags.contains(.fault), let failure = model._$fulfill() {
      map.noteReadFailure(failure)
      // Undoing the deletion would bring back a row without its values.
      if context.undoRecorder != nil { context.noteIncompleteRow(of: model) }
    }
    let related = relatedModels(of: model, in: map)
    if map.store.oneWayDestinations.contains(map.entity.name) {
      noteOrphaned(map.entity)
      orphaning.append(model)
    }
    // A new one that has a key is being written by a save: its row goes with the next.
    let isUnsaved = state.pointee.flags.contains(.inserted) && state.pointee.primaryKey == 0
    if !isUnsaved { mark(model, in: changes) }
    for (relationship, models) in related {
      for other in models { apply(relationship, of: model, to: other) }
    }
    if isUnsaved { withdraw(model, in: map) }
    context.noteChange()
  }

  private mutating func withdraw(_ model: some PersistentModel, in map: IdentityMap) {
    context.takeBackInsertion(of: model)
    if map.entity.hasRelationships { withdrawn.append(model) }
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

  private func relatedModels<T: PersistentModel>(of model: T, in map: IdentityMap) -> [Related] {
    map.entity.relationships.compactMap { relationship in
      guard concerns(relationship) else { return nil }
      let wasUnread = model._$state.pointee.failedRead(at: relationship.position) != nil
      let models = model._$relatedModels(relationship, in: map)
      context.noteIncomplete(model, relationship.position, wasUnread: wasUnread)
      return models.isEmpty ? nil : (relationship, models)
    }
  }

  private func concerns(_ relationship: RelationshipLayout) -> Bool {
    // Nobody has to be told, and nothing goes along.
    if relationship.inverse == nil, relationship.deleteRule != .cascade, relationship.deleteRule != .deny {
      return false
    }
    return relationship.deleteRule != .noAction
  }

  /// Does what a deletion could not do because a relationship could not be read.
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
  /// The objects of a relationship, read if need be.
  ///
  /// - Throws: What kept it from being read.
  func _$readRelatedModels(
    _ relationship: RelationshipLayout, in map: IdentityMap
  ) throws -> ContiguousArray<any PersistentModel> {
    let models = _$relatedModels(relationship, in: map)
    if let failure = _$state.pointee.failedRead(at: relationship.position) { throw failure.cause }
    return models
  }

  /// How many objects a relationship has, read if need be.
  ///
  /// - Throws: What kept it from being read.
  func _$countRelatedModels(_ relationship: RelationshipLayout, in map: IdentityMap) throws -> Int {
    _$applyLinks()
    let edit = _$edit(.read, at: relationship.position)
    guard edit.isLoaded, _$state.pointee.failedRead(at: relationship.position) == nil else {
      return try _$readRelatedModels(relationship, in: map).count
    }
    return edit.objects.count
  }

  /// The objects of a relationship, read if need be; none where that fails, which is noted.
  func _$relatedModels(_ relationship: RelationshipLayout, in map: IdentityMap) -> ContiguousArray<any PersistentModel>
  {
    _$applyLinks()
    var edit = _$edit(.read, at: relationship.position)
    if !edit.isLoaded {
      // The accessor reads what is missing.
      _ = self[keyPath: map.entity.properties[relationship.position].keyPath]
      edit = _$edit(.read, at: relationship.position)
    }
    return ContiguousArray(edit.objects.lazy.map { EntityLayout.model($0, as: relationship.destinationType) })
  }
}
