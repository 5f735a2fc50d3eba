import Foundation
import PersistenceHistory
import PersistenceQueries
import PersistenceRuntime

/// A context's request to fetch models. Apple's.
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
  /// Identifies the context that fetches.
  public let editingState: EditingState
  /// The predicate, the sort order, the limit and the offset.
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
  /// The snapshots of the models, in the sort order of the descriptor.
  public let fetchedSnapshots: [SnapshotType]
  /// Snapshots of models to which the fetched models refer. The library then need not fetch them.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Creates a result.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor of the request.
  ///   - fetchedSnapshots: The snapshots of the models, in the sort order of the descriptor.
  ///   - relatedSnapshots: Snapshots of models to which the fetched models refer.
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
  /// The inserted models, with temporary identifiers.
  public let inserted: [SnapshotType]
  /// The updated models, with all their values.
  public let updated: [SnapshotType]
  /// The deleted models, with their last values.
  public let deleted: [SnapshotType]
  /// Identifies the context that saves.
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
  /// The identifiers that the store has assigned to the inserted models, by the temporary identifiers of the request.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// The identifier of the store.
  public let storeIdentifier: String
  /// Snapshots of models whose saved values differ from those of the request, by identifier.
  public let snapshotsToReregister: [PersistentIdentifier: T]
  /// The history token of the save; nil if the store keeps no history.
  public let historyToken: (any HistoryToken)?

  /// Creates a result.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - remappedIdentifiers: The identifiers that the store has assigned to the inserted models, by the temporary
  ///     identifiers of the request.
  ///   - snapshotsToReregister: The models that the store has saved with other values than those of the request.
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

/// A request to delete all models that match a predicate. Apple's.
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: Sendable {
  /// Identifies the context that deletes.
  public let editingState: EditingState
  /// The predicate; nil to delete all models.
  public let predicate: Predicate<T>?
  /// Whether models of subclasses are deleted too.
  public let includeSubclasses: Bool

  package init(editingState: EditingState, predicate: Predicate<T>?, includeSubclasses: Bool) {
    self.editingState = editingState
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
  }
}
