import Foundation
import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

// Ours: copies of models to another store, of the same engine or another.

extension ModelContainer {
  /// Describes a copy of a store: counts and checksums of its contents, and whether history was left behind. Ours.
  ///
  /// The copy was compared with the original: their counts and checksums are equal.
  public struct StoreCopy: Sendable, Hashable {
    /// The contents of the copy for one entity or relationship. Ours.
    public struct Contents: Sendable, Hashable {
      /// The name of the entity (its subentities are separate) or of the relationship, as in `Trip.stops`.
      public let name: String
      /// The number of models, pairs of related models or positions in lists.
      public let count: Int
      /// A checksum of the keys and values, independent of their order. Equal contents have equal checksums, in every
      /// engine and in every process.
      public let checksum: UInt64
    }

    /// The identifier of both stores, as in ``PersistentIdentifier/storeIdentifier``.
    public let storeIdentifier: String
    /// The models of each entity.
    public let models: [Contents]
    /// Relationship data outside of the models' own columns: the pairs of relationships that have a junction table, and
    /// list positions that differ from the order of the keys.
    public let relationships: [Contents]
    /// Whether the original has a history. The copy has none: it has no transactions of earlier saves.
    ///
    /// In the copy all earlier history tokens have expired, except the token of the last transaction.
    public let leftHistoryBehind: Bool
  }

  /// Copies the contents of the store to an empty or missing store, regardless of the engines of both. Ours.
  ///
  /// The copy has the identifier of the store and the keys of all models, so that every ``PersistentIdentifier`` and
  /// typed reference that was encoded before finds its model there. The copy has the exact values of the models,
  /// including large and encrypted ones (with the new configuration's key), and the order of lists. It has no history.
  ///
  /// ```swift
  /// let copy = try await container.copy(to: ModelConfiguration(url: newURL))
  /// print(copy.models.map { "\($0.name): \($0.count)" })
  /// try await container.close()
  /// let moved = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: newURL))
  /// ```
  ///
  /// The copy is a snapshot of the store. It lacks the saves that contexts and other processes make during the copy, so
  /// a program that changes to the new store must stop saving first. Unsaved changes are not copied. Models are written
  /// in batches, all in one transaction of the new store. Before the commit, the copied models are read and compared
  /// with the source by count and checksum. After an error, a cancellation or the end of the process, the new store has
  /// no models. It may exist even if it did not exist before. No other program may open the new store meanwhile.
  ///
  /// The copy runs on a reader thread of the container. Any actor may call it.
  ///
  /// - Parameters:
  ///   - configuration: The new store, in a file. It does not exist, or is empty and has the same models.
  ///   - progress: Has 1,000 units. Cancelling it, or the task, ends the copy; nothing is copied then.
  /// - Returns: What was copied.
  /// - Throws: `CancellationError`; `SwiftDataError.storeUnreachable` if the new store has models, or is in memory;
  ///   `.unknownSchema` if it has other models; `.configurationSchemaNotFoundInContainerSchema` if the container has
  ///   several stores; `.storeFull`, `.storeReadOnly`, `.storeBusy` and other errors of both. Nothing is copied then.
  @discardableResult
  public func copy(
    to configuration: ModelConfiguration, progress: Progress = Progress(parent: nil)
  ) async throws -> StoreCopy {
    try await copy(progress) { try configuration.openable() }
  }

  /// Copies the contents of the store to an empty or missing one.
  ///
  /// - Parameters:
  ///   - progress: Has 1,000 units.
  ///   - configuration: Returns the configuration of the new store.
  /// - Returns: What was copied.
  /// - Throws: The errors of ``copy(to:progress:)``.
  package func copy(
    _ progress: Progress, to configuration: @escaping @Sendable () throws -> any EngineConfiguration
  ) async throws -> StoreCopy {
    try await withTaskExecutorPreference(stores.readers) {
      try await runCopy(progress, to: configuration)
    }
  }

  @concurrent
  private func runCopy(
    _ progress: Progress, to configuration: @Sendable () throws -> any EngineConfiguration
  ) async throws -> StoreCopy {
    let work = StoreWork(progress)
    try work.checkCancellation()
    guard let store = stores.stores.first, stores.stores.count == 1 else {
      throw SwiftDataError(
        .configurationSchemaNotFoundInContainerSchema,
        "A copy has one store, and the container \(stores.stores.count). Open a container for the models of each, and copy "
          + "one after the other.")
    }
    let partition = try StorePartition(plan: stores.schema.plan(), configurations: [configuration()])
    guard let part = partition.parts.first else { throw SwiftDataError(.storeFailure, "There is nothing to copy to.") }
    let target = try part.configuration.openForFilling(plan: part.plan)
    defer { target.close() }
    let copy = try StoreMove(from: store, to: target, part.plan.layouts, work).run()
    work.finish()
    return copy
  }
}
