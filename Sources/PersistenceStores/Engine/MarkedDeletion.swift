import Foundation
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// A deletion of all models that match a predicate, which a context has executed but not saved.
///
/// If the deletion is the only change of the save, the store can execute it in one atomic call (``DataStoreBatching``).
/// The context has already marked the matching models as deleted, so the store must find exactly these models.
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

  /// Requests the store to delete the models. Returns false if the store declines, or if other models match the
  /// predicate by now. The save then passes the deleted models to the store one by one.
  ///
  /// - Parameters:
  ///   - identifiers: The models that the context has deleted.
  ///   - store: The store.
  ///   - editor: Identifies the context that saves.
  /// - Throws: An error of the store. The save fails with this error.
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
  /// Records a context's last deletion by predicate, if the store can execute such deletions.
  func note(_ deletion: MarkedDeletion, by editor: EditingState?) {
    guard let editor, Store.self is any DataStoreBatching.Type else { return }
    deletions.withLock { $0[editor.id] = deletion }
  }

  /// Requests the store to execute a deletion by a predicate. Returns false if the save also has other changes, or if
  /// the store declines. The caller then has to save the deleted models one by one.
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
