import Foundation
import PersistenceContainer
import PersistenceContext
import PersistenceHistory
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// Executes the requests of a ``DataStore`` in a container. Each request uses a new context. Thread-safe.
package struct ContainerSnapshots: Sendable {
  package let container: ModelContainer
  package let identifier: String

  package init(_ container: ModelContainer) {
    self.container = container
    identifier = container.stores.stores.first?.engine.identifier ?? ""
    for store in container.stores.stores { SnapshotEntities.note(store.entities) }
  }

  /// Fetches the models that match a descriptor, and returns their snapshots.
  package func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let context = context(of: request.editingState)
    let snapshots = ModelSnapshots(context, schema: container.schema)
    let models = try context.fetch(request.descriptor)
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: try models.map { try snapshots.snapshot(of: $0) })
  }

  /// The number of models that match a descriptor.
  package func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try context(of: request.editingState).fetchCount(request.descriptor)
  }

  /// The identifiers of the models that match a descriptor.
  package func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try context(of: request.editingState).fetchIdentifiers(request.descriptor)
  }

  /// Writes the changes of one save in one transaction.
  package func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let context = context(of: request.editingState)
    let snapshots = ModelSnapshots(context, schema: container.schema)
    let inserted = try snapshots.insert(request.inserted)
    let updated = try request.updated.map { try model(of: $0.persistentIdentifier, in: context) }
    for (snapshot, model) in zip(request.updated, updated) { try snapshots.assign(snapshot, to: model) }
    var known: [PersistentIdentifier: any PersistentModel] = [:]
    for (snapshot, model) in zip(request.inserted + request.updated, inserted + updated) {
      known[snapshot.persistentIdentifier] = model
    }
    for (snapshot, model) in zip(request.inserted + request.updated, inserted + updated) {
      try snapshots.relate(snapshot, of: model) { known[$0] ?? self.found($0, in: context) }
    }
    for snapshot in request.deleted {
      if let model = found(snapshot.persistentIdentifier, in: context) { context.delete(model) }
    }
    let token = try SavedToken.save(context)
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for (snapshot, model) in zip(request.inserted, inserted) {
      remapped[snapshot.persistentIdentifier] = model.persistentModelID
    }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped, historyToken: token)
  }

  /// Deletes the models that match a predicate, in one transaction.
  package func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    let context = context(of: request.editingState)
    try context.delete(model: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
    try context.save()
  }

  /// The snapshots of the models with the given identifiers, without those models that do not exist.
  package func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    let context = context(of: editingState)
    let snapshots = ModelSnapshots(context, schema: container.schema)
    var result: [PersistentIdentifier: DefaultSnapshot] = [:]
    for identifier in persistentIdentifiers {
      if let model = found(identifier, in: context) { result[identifier] = try snapshots.snapshot(of: model) }
    }
    return result
  }

  private func context(of state: EditingState) -> ModelContext {
    let context = ModelContext(container)
    context.author = state.author
    return context
  }

  private func found(_ identifier: PersistentIdentifier, in context: ModelContext) -> (any PersistentModel)? {
    let model = context.model(for: identifier)
    return model.isDeleted ? nil : model
  }

  private func model(of identifier: PersistentIdentifier, in context: ModelContext) throws -> any PersistentModel {
    guard let model = found(identifier, in: context) else {
      throw SwiftDataError(.modelNotFound, "no model has the identifier \(identifier), whose snapshot is to be saved")
    }
    return model
  }
}

/// Reads the history token of a save from the notification that the context posts.
private final class SavedToken: Sendable {
  private let found = Lock<(any HistoryToken)?>(nil)

  /// Saves a context, and returns the history token of the save; nil if the store keeps no history.
  static func save(_ context: ModelContext) throws -> (any HistoryToken)? {
    let token = SavedToken()
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.historyTokens.rawValue
      let tokens = notification.userInfo?[key] as? [String: any HistoryToken]
      token.found.withLock { $0 = tokens?.values.first }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.save()
    return token.found.withLock { $0 }
  }
}
