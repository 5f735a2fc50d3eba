import PersistenceRuntime
import PersistenceSupport

/// Removes deleted objects from relationships without an inverse.
///
/// Without an inverse, a model does not know its referrers. So a deletion with its cascades searches all objects of the
/// context. In a series of deletions, a ``ReferrerIndex`` replaces the searches.
struct OneWayReferences {
  let context: ModelContext

  /// Removes deleted objects from every one-way relationship to their entities.
  ///
  /// - Parameters:
  ///   - targets: The objects that were deleted since the last call.
  ///   - names: The names of the entities of the targets, with all superentities.
  func drop(_ targets: ContiguousArray<AnyObject>, of names: Set<String>) {
    takeInReads()
    if let referrers = context.referrers.current {
      for target in targets {
        for referrer in referrers[ObjectIdentifier(target)] ?? [] { drop(from: referrer) }
      }
      return
    }
    for changes in context.entityChanges.values where mayRefer(changes.map, to: names) {
      drop(names, from: objects(of: changes), of: changes.map, as: changes.map.modelType)
    }
    if context.referrers.noteSearch() { makeReferrers() }
  }

  private func drop(from referrer: ReferrerIndex.Referrer) {
    func dropTyped<T: PersistentModel>(_ model: T) {
      // The insertion of a new object may have been reverted meanwhile.
      guard !model.isDeleted, model._$state.pointee.identityMap?.context === context else { return }
      drop(referrer.relationship, of: model)
    }
    for model in referrer.objects { dropTyped(model) }
  }

  private func drop<T: PersistentModel>(
    _ names: Set<String>, from objects: [AnyObject], of map: IdentityMap, as type: T.Type
  ) {
    var entity = map.entity
    var concerned = relationships(of: entity, to: names)
    for object in objects {
      let model = unsafeDowncast(object, to: T.self)
      guard !model.isDeleted, let own = model._$state.pointee.identityMap?.entity else { continue }
      // The map of a root contains the objects of all classes, and each class has its own relationships.
      if own !== entity { (entity, concerned) = (own, relationships(of: own, to: names)) }
      for relationship in concerned { drop(relationship, of: model) }
    }
  }

  private func drop<T: PersistentModel>(_ relationship: RelationshipLayout, of model: T) {
    for object in model._$edit(.read, at: relationship.position).objects {
      let target = EntityLayout.model(object, as: relationship.destinationType)
      if target.isDeleted { model._$letGo(of: target, relationship) }
    }
  }

  // MARK: Candidates

  /// The objects of an entity in the context. For the root of a hierarchy, the objects of all its classes.
  private func objects(of changes: EntityChanges) -> [AnyObject] {
    let inserted = changes.livingInserted
    return changes.isRoot ? changes.map.objectsOfRows() + inserted : Array(inserted)
  }

  /// Whether objects of a map may refer to objects of the named entities; of any entity if `names` is nil.
  private func mayRefer(_ map: IdentityMap, to names: Set<String>? = nil) -> Bool {
    let entities = map.isRoot ? map.entity.family : [map.entity]
    return entities.contains { !relationships(of: $0, to: names).isEmpty }
  }

  private func relationships(of entity: EntityLayout, to names: Set<String>? = nil) -> [RelationshipLayout] {
    entity.relationships.filter { $0.inverse == nil && (names?.contains($0.destination) ?? true) }
  }

  // MARK: The index

  /// Creates the index, unless there are models that do not use the macro: they do not report changes of references.
  private func makeReferrers() {
    let all = context.entityChanges.values.filter { mayRefer($0.map) }
    guard all.allSatisfy({ $0.map.entity.family.allSatisfy { $0.modelType._$isGenerated } }) else { return }
    var referrers: ReferrerIndex.Referrers = [:]
    var size = 0
    for changes in all {
      func add<T: PersistentModel>(as type: T.Type) {
        for object in objects(of: changes) { size += self.add(unsafeDowncast(object, to: T.self), to: &referrers) }
      }
      add(as: changes.map.modelType)
    }
    context.referrers.keep(referrers, size: size)
  }

  /// Adds the references of rows that were read after the referrer index was created.
  private func takeInReads() {
    guard var taken = context.referrers.takeReads() else { return }
    var growth = 0
    for (map, keys) in taken.reads {
      for key in keys {
        for model in map.objects(ofRow: key) { growth += add(model, to: &taken.referrers) }
      }
    }
    context.referrers.putBack(taken.referrers, growth: growth)
  }

  /// Adds the references of an object. Returns their number.
  private func add<T: PersistentModel>(_ model: T, to referrers: inout ReferrerIndex.Referrers) -> Int {
    let state = model._$state
    guard let map = state.pointee.identityMap else { return 1 }
    let inserted = state.pointee.flags.contains(.inserted) ? model : nil
    var size = 1
    for relationship in map.entity.relationships where relationship.inverse == nil {
      let referrer = ReferrerIndex.Referrer(
        map: map, relationship: relationship, key: state.pointee.primaryKey, inserted: inserted)
      let targets = model._$edit(.read, at: relationship.position).objects
      for target in targets { referrers[ObjectIdentifier(target), default: []].append(referrer) }
      size += targets.count
    }
    return size
  }
}

/// Finds references to rows that do not exist, because a program without foreign key enforcement has deleted the rows
/// or written wrong keys.
///
/// An object of a to-one relationship is created before its row is read. If the read finds no row, the relationships
/// that refer to the object become unread: they have a value in the store, but not in memory. With the delete rule
/// `noAction`, a reference to a deleted row is not an error.
struct DanglingReferences {
  let map: IdentityMap
  let context: ModelContext
  /// The missing rows of the map's entity.
  let keys: [Int64]

  func leaveUnread() {
    for layout in map.store.layouts {
      for relationship in layout.relationships where concerns(relationship, of: layout) {
        leaveUnread(relationship, of: layout)
      }
    }
  }

  /// True if `layout` itself declares the relationship, and the relationship may refer to rows of the map's entity.
  private func concerns(_ relationship: RelationshipLayout, of layout: EntityLayout) -> Bool {
    guard relationship.storage == .column, relationship.inverseDeleteRule != .noAction,
      relationship.position >= layout.inheritance?.firstPosition ?? 0
    else { return false }
    return relationship.destination == map.entity.name
      || map.entity.inheritance?.superentityNames.contains(relationship.destination) == true
  }

  private func leaveUnread(_ relationship: RelationshipLayout, of layout: EntityLayout) {
    guard let referring = context.identityMap(for: layout.modelType) else { return }
    let request = FetchRequest(entity: layout, selection: .matching(condition(relationship)))
    do {
      let owners = try map.store.engine.keys(request, in: context.openTransaction(of: map.store))
      let errors = owners.compactMap { owner in
        referring.object(for: owner).flatMap { leaveUnread(relationship, of: referring.entity.model($0)) }
      }
      guard let first = errors.first else { return }
      referring.logUnread(first)
      guard errors.count > 1 else { return }
      map.store.logger.error(
        "\(errors.count - 1) more values of \(relationship.path) lead to no row; the context lists them")
    } catch {
      // The referring objects keep their references to the deleted object until their rows are read again.
      map.store.logger.error("which rows refer to missing ones of \(map.entity.name) is unknown: \(error)")
    }
  }

  private func condition(_ relationship: RelationshipLayout) -> QueryTree {
    var tree = QueryTree()
    tree.append(list: keys.map { .integer($0) })
    tree.append(.property(relationship.position))
    tree.append(.containsValue)
    return tree
  }

  /// Empties the relationship of an object if it refers to a missing row. Returns the error if it is new.
  private func leaveUnread<T: PersistentModel>(_ relationship: RelationshipLayout, of model: T) -> SwiftDataError? {
    let state = model._$state
    guard let own = state.pointee.identityMap, own.context === context, !model.isDeleted,
      state.pointee.dirty & PropertyMask.bit(relationship.position) == 0,
      let held = model._$edit(.read, at: relationship.position).objects.first
    else { return nil }
    let key = EntityLayout.model(held, as: relationship.destinationType)._$state.pointee.primaryKey
    guard keys.contains(key) else { return nil }
    context.didTouch(model, in: own)
    let column = own.entity.properties[relationship.position].columns.first?.name ?? relationship.name
    let error = SwiftDataError(
      .corruptValue,
      "\(own.entity.name).\(relationship.name) of row \(state.pointee.primaryKey): the column \(column) has the number "
        + "\(key), which is the key of no \(relationship.destination)")
    return model._$leaveUnread(relationship, error, in: own)
  }
}

extension IdentityMap {
  /// Records that some keys have no rows, because rows were deleted elsewhere or references dangle.
  func noteMissing(_ keys: [Int64]) {
    // Keys that are removed from the set are only looked up again. A row that gets a recorded key later is still found.
    if missingKeys.count > 10_000 { missingKeys.removeAll() }
    missingKeys.formUnion(keys)
    guard let context, !context.isUndoing else { return }
    DanglingReferences(map: self, context: context, keys: keys).leaveUnread()
  }
}

extension EntityLayout {
  /// True if a to-one relationship may refer to a deleted row, because the delete rule is `noAction`.
  func mayDangle(at position: Int) -> Bool { relationship(at: position)?.inverseDeleteRule == .noAction }
}

// A related object is usually created before its row is read. That is impossible if its class or its constants depend
// on the row. Such to-one relationships are read for all objects of a prefetch window at once.

extension StoreCoordinator {
  /// Reads a to-one relationship of an object and of its prefetch window, with two queries. Returns false after an
  /// error, or if no other object of the window needs the read; then the caller reads it for the object alone.
  func loadReferences<T: PersistentModel>(
    at position: Int, to type: any PersistentModel.Type, of object: T, in map: IdentityMap
  ) -> Bool {
    let owners = waitingOwners(at: position, beside: object, in: map)
    guard owners.count > 1, let destination = identityMap(for: type, beside: map) else { return false }
    do {
      let references = try references(at: position, of: map.keys(of: owners), in: map)
      let unknown = Set(references.values).filter { destination.object(for: $0) == nil }.sorted()
      let request = FetchRequest(entity: destination.entity, selection: .keys(unknown))
      // The objects are retained until the slots refer to them.
      let found = unknown.isEmpty ? [] : try objects(request, in: destination, group: FetchGroup())
      withExtendedLifetime(found) {
        fill(owners, at: position, with: references, from: destination, in: map, as: T.self)
      }
      map.context?.transactionSnapshot?.noteRows(map.keys(of: owners), in: map)
      return true
    } catch {
      return false
    }
  }

  /// The object and the objects of its prefetch window whose relationship has not been read.
  private func waitingOwners<T: PersistentModel>(
    at position: Int, beside object: T, in map: IdentityMap
  ) -> ContiguousArray<AnyObject> {
    guard let group = object._$state.pointee.group else { return [] }
    var owners: ContiguousArray<AnyObject> = []
    for key in group.window(around: object._$state.pointee.primaryKey, for: position).keys {
      guard let other = map.object(for: key) else { continue }
      let model = unsafeDowncast(other, to: T.self)
      guard !model.isDeleted, model._$state.pointee.dirty & PropertyMask.bit(position) == 0 else { continue }
      if !model._$edit(.find, at: position).isLoaded { owners.append(other) }
    }
    return owners
  }

  /// The keys in the column of a to-one relationship, by the keys of the rows.
  package func references(at position: Int, of owners: [Int64], in map: IdentityMap) throws -> [Int64: Int64] {
    let property = map.entity.properties[position]
    let request = FetchRequest(entity: map.entity, selection: .keys(owners), mask: property.bit)
    var references: [Int64: Int64] = [:]
    try fetch(request, in: map.context?.openTransaction(of: self)) { rows in
      let session = ReadSession(identityMap: map, error: rows.error)
      try withExtendedLifetime(session) {
        var reader = RowReader(rows, session: session, mask: request.mask)
        while try reader.next() {
          if let reference = reader.currentReference(at: position) { references[reader.key] = reference }
        }
      }
    }
    return references
  }

  private func fill<T: PersistentModel>(
    _ owners: ContiguousArray<AnyObject>, at position: Int, with references: [Int64: Int64],
    from destination: IdentityMap, in map: IdentityMap, as type: T.Type
  ) {
    let isOptional = map.entity.properties[position].isOptional
    for owner in owners {
      let related = references[map.key(of: owner)].map { destination.object(for: $0) }
      var edit = RelationshipSlotOperation(.fill)
      switch related {
      case .some(let object?): edit.objects = [object]
      // The column refers to a deleted row. The slot stays empty, and an access of the property reports the error.
      case .some(nil): continue
      case nil: if !isOptional { continue }
      }
      unsafeDowncast(owner, to: T.self)._$relate(&edit, position)
      unsafeDowncast(owner, to: T.self)._$didRead(position)
    }
  }
}
