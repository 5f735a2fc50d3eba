import Foundation
import PersistenceQueries
import PersistenceRuntime

extension ModelContext {
  /// Deletes every model that a predicate means with the next save, without making models of rows.
  ///
  /// Delete rules hold as for ``delete(_:)``. Models that this context has are marked as deleted at once; of all others
  /// only the keys are read, and the rows go in one statement with the save. ``rollback()`` takes it back.
  /// - Parameters:
  ///   - model: The type whose models are meant.
  ///   - predicate: Which of them; nil for all.
  ///   - includeSubclasses: Whether models of types that inherit from it are meant too.
  /// - Throws: `SwiftDataError` of the predicate or of the store.
  ///
  /// ```swift
  /// try context.delete(model: Trip.self, where: #Predicate { $0.end < today })
  /// // SELECT "_osd_key" FROM "Trip" WHERE "end" < ?
  /// // with the save: DELETE FROM "Trip" WHERE "_osd_key" = ?
  /// ```
  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws {
    saveIfDue()
    let changes = try requireChanges(for: model)
    let map = changes.map
    let plan = try FetchPlan(FetchDescriptor<T>(predicate: predicate), in: map)
    // What can be undone has to be in memory.
    guard !plan.filtersInMemory, undoRecorder == nil else {
      for model in try fetch(FetchDescriptor<T>(predicate: predicate)) {
        if includeSubclasses || type(of: model) == T.self { deleteWithoutSaving(model) }
      }
      return
    }
    // What is not saved yet is judged by the values that it has now.
    let family = includeSubclasses ? family(of: map) : [changes]
    let concerned = try family.flatMap { $0.livingChanged + $0.livingInserted }.filter {
      try plan.matches(unsafeDowncast($0, to: T.self))
    }
    var request = plan.request
    request.includesSubentities = includeSubclasses
    let keys = try map.store.engine.keys(request, in: openTransaction(of: map.store))
    let changed = Set(family.flatMap { $0.map.keys(of: $0.livingChanged) })
    try batchDelete(keys.filter { !changed.contains($0) }, of: changes)
    for object in concerned { deleteWithoutSaving(unsafeDowncast(object, to: T.self)) }
  }

  /// Marks rows to be deleted, and those that the delete rules take along.
  ///
  /// - Throws: When it cannot be read which these are. No row is marked then: a call that threw must delete nothing
  ///   with the next save.
  private func batchDelete(_ keys: [Int64], of changes: EntityChanges) throws {
    var marked: [(changes: EntityChanges, keys: [Int64])] = []
    do {
      for model in try mark(keys, of: changes, noting: &marked) { deleteWithoutSaving(model) }
    } catch {
      for (changes, keys) in marked {
        pending.batchDeletedKeys -= keys.filter { changes.batchDeletedKeys.remove($0) != nil }.count
      }
      throw error
    }
    noteChange()
  }

  /// Marks rows, and those that go with them.
  ///
  /// - Parameter marked: What was marked so far, should it fail.
  /// - Returns: The objects of such rows, whose own deletions see to them.
  private func mark(
    _ keys: [Int64], of changes: EntityChanges, noting marked: inout [(changes: EntityChanges, keys: [Int64])]
  ) throws -> ContiguousArray<any PersistentModel> {
    var queue: [(changes: EntityChanges, keys: [Int64], inverse: PropertyLayout?)] = [(changes, keys, nil)]
    var registered: ContiguousArray<any PersistentModel> = []
    while let (changes, keys, inverse) = queue.popLast() {
      let map = changes.map
      let new = keys.filter { changes.batchDeletedKeys.insert($0).inserted }
      pending.batchDeletedKeys += new.count
      marked.append((changes, new))
      guard !new.isEmpty else { continue }
      var known: Set<Int64> = []
      for key in new {
        guard let object = map.anyObject(ofRow: key) else { continue }
        // The object's own deletion sees to its row.
        changes.batchDeletedKeys.remove(key)
        pending.batchDeletedKeys -= 1
        known.insert(key)
        // One that belongs elsewhere now, and has not been saved since, goes with nobody.
        if let inverse, map.entity.model(object)._$state.pointee.dirty & inverse.bit != 0 { continue }
        registered.append(map.entity.model(object))
      }
      // Rows of subclasses take along what only these relate to. Objects see to what they hold themselves.
      for (entity, relationship) in map.entity.cascadingInFamily {
        guard let destination = self.changes(for: relationship.destinationType) else { continue }
        let related = try map.store.engine.keys(
          of: relationship, in: entity, owners: new.filter { !known.contains($0) },
          transaction: openTransaction(of: map.store))
        let inverse = relationship.inverse.map { destination.map.entity.properties[$0.position] }
        queue.append((destination, related, inverse))
      }
    }
    return registered
  }
}

extension EntityLayout {
  /// The relationships that delete what they hold, of the entity and of those that inherit from it, each with the entity
  /// that adds it.
  fileprivate var cascadingInFamily: [(EntityLayout, RelationshipLayout)] {
    family.flatMap { member in
      let first = member === self ? 0 : member.inheritance?.firstPosition ?? 0
      return member.relationships.filter { $0.position >= first && $0.deleteRule == .cascade }.map { (member, $0) }
    }
  }
}
