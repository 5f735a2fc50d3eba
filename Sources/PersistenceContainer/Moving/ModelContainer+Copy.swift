import Foundation
import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

// Ours: models move to another store, of the same engine or of another one.

extension ModelContainer {
  /// What a copy of a store has, and what it has not. Ours.
  ///
  /// Counts and checksums were taken of both stores in the same way, and are equal.
  public struct StoreCopy: Sendable, Hashable {
    /// What the copy has of one entity or relationship. Ours.
    public struct Contents: Sendable, Hashable {
      /// The name of the entity, without those that inherit from it; or of entity and relationship, as `Trip.stops`.
      public let name: String
      /// The number of models, pairs of related models or places in lists.
      public let count: Int
      /// A checksum over their keys and values, whatever their order. Equal contents have equal ones, in each engine and
      /// in each process.
      public let checksum: UInt64
    }

    /// The identifier of both stores: what ``PersistentIdentifier/storeIdentifier`` says.
    public let storeIdentifier: String
    /// The models, for each entity.
    public let models: [Contents]
    /// The relationships that are stored beside the models: those with a table of pairs, and places in lists that are not
    /// in the order of the keys.
    public let relationships: [Contents]
    /// Whether the store has a history, which the copy lacks: what was saved before is no transaction of it.
    ///
    /// A token from before has expired in the copy, but for the last one, behind which its history begins.
    public let leftHistoryBehind: Bool
  }

  /// Copies everything that the store has to an empty or absent one, whatever the engine of the two is. Ours.
  ///
  /// The copy has the identifier of the store and the keys of all models, so that every ``PersistentIdentifier`` and
  /// typed reference that was encoded before finds its model there. It has their values, exactly, large and encrypted
  /// ones too (with the key of the configuration), and the order of all lists. It has no history, as the result says.
  ///
  /// ```swift
  /// let copy = try await container.copy(to: ModelConfiguration(url: newURL))
  /// print(copy.models.map { "\($0.name): \($0.count)" })
  /// try await container.close()
  /// let moved = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: newURL))
  /// ```
  ///
  /// The store is read as it is at one moment, while others may save: what they save from then on is not in the copy, so
  /// a program that moves stops saving first. Changes that wait for a save are not in it. Models are copied in
  /// batches, in one transaction of the new store; they are read again there and compared by count and checksum before
  /// it commits. So the new store has all of it or, after an error, a cancellation or the end of the process, nothing:
  /// where no store was, there may be an empty one then. No other program may open the new store meanwhile.
  ///
  /// It runs on a reader thread of the container. Any actor may call it.
  ///
  /// - Parameters:
  ///   - configuration: The new store, in a file. There is none yet, or one for the same models that is empty.
  ///   - progress: Has 1,000 units. Cancelling it, or the task, ends the copy; nothing is copied then.
  /// - Returns: What was copied.
  /// - Throws: `CancellationError`; `SwiftDataError.storeUnreachable` if the new store has models, or is in memory;
  ///   `.unknownSchema` if it is one for others; `.configurationSchemaNotFoundInContainerSchema` if the container has
  ///   several stores; `.storeFull`, `.storeReadOnly`, `.storeBusy` and other errors of the two. Nothing is copied then.
  @discardableResult
  public func copy(
    to configuration: ModelConfiguration, progress: Progress = Progress(parent: nil)
  ) async throws -> StoreCopy {
    try await copy(progress) { try configuration.openable() }
  }

  /// Copies everything that the store has to an empty or absent one.
  ///
  /// - Parameters:
  ///   - progress: Has 1,000 units.
  ///   - configuration: Makes the configuration of the new store.
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
