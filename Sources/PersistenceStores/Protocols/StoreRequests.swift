import Foundation
import PersistenceHistory
import PersistenceQueries
import PersistenceRuntime

/// A request of a context for models. Apple's.
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
  /// The requesting context.
  public let editingState: EditingState
  /// The models, their order and their window.
  public let descriptor: FetchDescriptor<T>

  package init(descriptor: FetchDescriptor<T>, editingState: EditingState) {
    self.descriptor = descriptor
    self.editingState = editingState
  }
}

/// The result of a fetch. Apple's.
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>: Sendable {
  /// The descriptor of the request.
  public let descriptor: FetchDescriptor<ModelType>
  /// The models, in the order of the descriptor.
  public let fetchedSnapshots: [SnapshotType]
  /// Models that the fetched ones refer to, which then need no fetch.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Creates a result.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor of the request.
  ///   - fetchedSnapshots: The models, in the order of the descriptor.
  ///   - relatedSnapshots: Models that the fetched ones refer to.
  public init(
    descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// The changes of one save. Apple's.
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot>: Sendable {
  /// New models, with temporary identifiers.
  public let inserted: [SnapshotType]
  /// Changed models, with all their values.
  public let updated: [SnapshotType]
  /// Deleted models, with their last values.
  public let deleted: [SnapshotType]
  /// The context that saves.
  public let editingState: EditingState

  package init(
    inserted: [SnapshotType], updated: [SnapshotType], deleted: [SnapshotType], editingState: EditingState
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.editingState = editingState
  }
}

/// The result of a save. Apple's.
final public class DataStoreSaveChangesResult<T: DataStoreSnapshot>: Sendable {
  /// The identifiers of new models, by the temporary identifiers of the request.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// The identifier of the store.
  public let storeIdentifier: String
  /// Models whose values differ from those of the request, by their identifiers.
  public let snapshotsToReregister: [PersistentIdentifier: T]
  /// The position of the save in the history of the store; nil without one.
  public let historyToken: (any HistoryToken)?

  /// Creates a result.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - remappedIdentifiers: The identifiers of new models, by the temporary identifiers of the request.
  ///   - snapshotsToReregister: Models whose values differ from those of the request.
  public init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:]
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    historyToken = nil
  }

  package init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier],
    historyToken: (any HistoryToken)?
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    snapshotsToReregister = [:]
    self.historyToken = historyToken
  }
}

/// The deletion of models by a condition. Apple's.
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: Sendable {
  /// The context that deletes.
  public let editingState: EditingState
  /// The condition; nil for all models.
  public let predicate: Predicate<T>?
  /// Whether models of subclasses are deleted too.
  public let includeSubclasses: Bool

  package init(editingState: EditingState, predicate: Predicate<T>?, includeSubclasses: Bool) {
    self.editingState = editingState
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
  }
}
