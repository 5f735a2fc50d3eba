import Foundation
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// A context's deletion of all models that meet a condition. A store may run it itself when the context saves.
///
/// If the deletion is the only change of a save, one call of the store runs it (``DataStoreBatching``), atomically. The
/// context has already marked the models that met the condition. At the save the store must find the same models.
struct MarkedDeletion: Sendable {
  let keys: Set<Int64>
  private let origin: any ModelFetch
  private let entity: EntityLayout
  private let includesSubclasses: Bool

  init(_ origin: any ModelFetch, _ request: FetchRequest, _ keys: [Int64]) {
    self.keys = Set(keys)
    self.origin = origin
    entity = request.entity
    includesSubclasses = request.includesSubentities
  }

  /// Lets a store delete the models. Returns false if the store declines: then the save has to delete the models.
  ///
  /// - Parameters:
  ///   - identifiers: The models.
  ///   - store: The store.
  ///   - editor: The context that saves.
  /// - Throws: The error of the store, with which the save fails.
  func run<Store: DataStoreBatching>(
    _ identifiers: Set<PersistentIdentifier>, by store: Store, for editor: EditingState
  ) throws -> Bool {
    func run<Origin: ModelFetch>(_ origin: Origin) throws -> Bool {
      let request = StoreQuestion<Origin.T>(deletionOf: origin, for: editor).request
      let found = try StoreQuestion<Origin.T>.answer { try store.fetchIdentifiers(request) }
      guard let found else { return false }
      let own = includesSubclasses ? found : found.filter { $0.entityName == entity.name }
      guard Set(own) == identifiers else { return false }
      let deletion = DataStoreBatchDeleteRequest<Origin.T>(
        editingState: editor, predicate: request.descriptor.predicate, includeSubclasses: includesSubclasses)
      return try StoreQuestion<Origin.T>.answer { try store.delete(deletion) } != nil
    }
    return try run(origin)
  }
}

extension CustomStoreEngine {
  /// Keeps the last deletion that a context marks, if the store supports deletions by a condition.
  func note(_ deletion: MarkedDeletion, by editor: EditingState?) {
    guard let editor, Store.self is any DataStoreBatching.Type else { return }
    deletions.withLock { $0[editor.id] = deletion }
  }

  /// Lets the store run a save's deletion. Returns false if the save has other changes, or if the store declines.
  func runDeletion(_ changes: StoreChanges, by editor: EditingState?) throws -> Bool {
    guard let editor, let deletion = deletions.withLock({ $0[editor.id] }), changes.isOnlyDeletion(of: deletion.keys)
    else { return false }
    let identifiers = Set(changes.deleted.keys.compactMap(table.identifier))
    return try access.run { store in
      guard let store = store as? any DataStoreBatching else { return false }
      return try deletion.run(identifiers, by: store, for: editor)
    }
  }
}
