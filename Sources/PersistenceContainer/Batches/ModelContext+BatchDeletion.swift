import Foundation
import PersistenceContext
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// Marks all models that match a predicate for deletion by the next save, without creating models. Apple's.
  ///
  /// Delete rules apply as for ``delete(_:)``. Models that are in memory become deleted at once. Of all other rows only
  /// the keys are read, and the save runs one prepared DELETE statement for each key. ``rollback()`` discards the
  /// deletion. Call it only on the context's actor or thread.
  ///
  /// ```swift
  /// try context.delete(model: Trip.self, where: #Predicate { $0.end < today })
  /// // SELECT "_osd_key" FROM "Trip" WHERE "end" < ?
  /// // with the save, for each key: DELETE FROM "Trip" WHERE "_osd_key" = ?
  /// ```
  /// - Parameters:
  ///   - model: The type of the models.
  ///   - predicate: The condition for the models; nil for all models.
  ///   - includeSubclasses: Whether models of subclasses are deleted too.
  /// - Throws: `SwiftDataError` if the predicate is not supported, or if the store cannot be read.
  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws {
    saveIfDue()
    let changes = try requireChanges(for: model)
    let map = changes.map
    let plan = try FetchPlan(FetchDescriptor<T>(predicate: predicate), in: map)
    // An undo needs the deleted objects in memory.
    guard !plan.filtersInMemory, undoManager == nil else {
      for model in try fetch(FetchDescriptor<T>(predicate: predicate)) {
        if includeSubclasses || type(of: model) == T.self { deleteWithoutSaving(model) }
      }
      return
    }
    // Models with unsaved changes are matched by their current values.
    let family = includeSubclasses ? family(of: map) : [changes]
    let concerned = try family.flatMap { $0.livingChanged + $0.livingInserted }.filter {
      try plan.matches(unsafeDowncast($0, to: T.self))
    }
    var request = plan.request
    request.includesSubentities = includeSubclasses
    request.noteDeletion()
    let keys = try map.store.engine.keys(request, in: openTransaction(of: map.store))
    let changed = Set(family.flatMap { $0.map.keys(of: $0.livingChanged) })
    try batchDelete(keys.filter { !changed.contains($0) }, of: changes)
    for object in concerned { deleteWithoutSaving(unsafeDowncast(object, to: T.self)) }
  }

  /// Marks rows, and the rows that their delete rules cascade to, for deletion by the next save.
  ///
  /// - Throws: The error of a read. All marks are then removed, so that the next save deletes none of these rows.
  private func batchDelete(_ keys: [Int64], of changes: EntityChanges) throws {
    var marked: [(changes: EntityChanges, keys: [Int64])] = []
    do {
      for model in try mark(keys, of: changes, noting: &marked) { deleteWithoutSaving(model) }
    } catch {
      for (changes, keys) in marked {
        watch?.noteRows(of: ObjectIdentifier(changes.map.modelType))
        unmarkDeleted(rows: keys, of: changes)
      }
      throw error
    }
    noteChange()
  }

  /// Marks rows, and the rows that their delete rules cascade to, for deletion.
  ///
  /// - Parameter marked: Receives the marked keys, even if an error is thrown.
  /// - Returns: The objects that the context has for some of these rows. The caller deletes these objects.
  private func mark(
    _ keys: [Int64], of changes: EntityChanges, noting marked: inout [(changes: EntityChanges, keys: [Int64])]
  ) throws -> ContiguousArray<any PersistentModel> {
    var queue: [(changes: EntityChanges, keys: [Int64], inverse: PropertyLayout?)] = [(changes, keys, nil)]
    var registered: ContiguousArray<any PersistentModel> = []
    while let (changes, keys, inverse) = queue.popLast() {
      let map = changes.map
      detachCascadedRows(keys, of: changes)
      let new = markDeleted(rows: keys, of: changes)
      marked.append((changes, new))
      watch?.noteRows(of: ObjectIdentifier(map.modelType))
      guard !new.isEmpty else { continue }
      var known: Set<Int64> = []
      for key in new {
        guard let object = map.anyObject(ofRow: key) else { continue }
        // The row has an object in memory. The caller deletes that object, and the row with it.
        unmarkDeleted(rows: [key], of: changes)
        known.insert(key)
        // If the object has a new owner that is not saved yet, it is not deleted with its former owner.
        if let inverse, map.entity.model(object)._$state.pointee.dirty & inverse.bit != 0 { continue }
        registered.append(map.entity.model(object))
      }
      // The deletions of objects cascade when the caller deletes them. Here only the rows without an object cascade.
      for (entity, relationship) in map.entity.cascadingInFamily {
        guard let destination = self.changes(for: relationship.destinationType) else { continue }
        let related = try map.store.engine.pairs(
          of: relationship, in: entity, owners: new.filter { !known.contains($0) },
          transaction: openTransaction(of: map.store))
        let inverse = relationship.inverse.map { destination.map.entity.properties[$0.position] }
        queue.append((destination, related.map(\.target), inverse))
      }
    }
    return registered
  }
}

extension EntityLayout {
  /// The relationships of the entity and its subentities that cascade deletions, each with the entity that declares it.
  fileprivate var cascadingInFamily: [(EntityLayout, RelationshipLayout)] {
    family.flatMap { member in
      let first = member === self ? 0 : member.inheritance?.firstPosition ?? 0
      return member.relationships.filter { $0.position >= first && $0.deleteRule == .cascade }.map { (member, $0) }
    }
  }
}
