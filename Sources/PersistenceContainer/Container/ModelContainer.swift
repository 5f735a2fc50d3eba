import Foundation
import Logging
import PersistenceContext
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The open stores of a program's models, from which contexts are created. Apple's.
///
/// A container may be used from any thread and sent to any task. The file of a store stays open until the container and
/// all of its contexts are released, or until `close()`.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self)
/// let context = ModelContext(container)
/// ```
public final class ModelContainer: Equatable, @unchecked Sendable {
  // Unchecked: only the main actor uses the main context, a lock guards the configurations, the rest is constant.

  package let stores: ContainerStores
  /// The migration plan of the container; nil without one. Apple's.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  private let configurationsLock = NSLock()
  /// An array, because hashing takes a measurable part of opening a store. `configurations` creates a set on demand.
  private var storedConfigurations: [any Hashable]
  /// The configurations that the stores were opened with, in the order of the stores; empty for a container created
  /// from open stores. Their names are computed on demand, because finding a file's name takes time.
  private let openedConfigurations: [any EngineConfiguration]
  @MainActor private var storedMainContext: MainContextOwner?

  /// The schema that the container was opened with. Apple's.
  public var schema: Schema { stores.schema.value }

  /// The configurations of the type ``ModelConfiguration`` that the container was opened with. Apple's.
  ///
  /// Setting the configurations does not change open stores. Any thread may use this property.
  public var configurations: Set<ModelConfiguration> {
    get { configurationsLock.withLock { Set(storedConfigurations.compactMap { $0 as? ModelConfiguration }) } }
    set { configurationsLock.withLock { storedConfigurations = Array(newValue) } }
  }

  /// Opens the stores of a schema.
  ///
  /// - Parameters:
  ///   - source: The schema, or the models that it is made of.
  ///   - migrationPlan: The versions and stages for stores with another schema; nil for automatic migrations.
  ///   - configurations: One or more configurations, each of which opens one store.
  /// - Throws: `SwiftDataError` of the schema, of the plan, of a configuration or of an engine. Compared by `==`, the
  ///   error equals ``SwiftDataError/loadIssueModelContainer``, regardless of its own kind.
  package init(
    _ source: ContainerSchema, migrationPlan: (any SchemaMigrationPlan.Type)?,
    configurations: [any EngineConfiguration]
  ) throws {
    do {
      stores = try Self.open(source, migrationPlan, configurations)
    } catch {
      throw SwiftDataError(openingPreventedBy: error)
    }
    self.migrationPlan = migrationPlan
    openedConfigurations = configurations
    // `map` avoids a conversion of the whole array, which would cast each element dynamically.
    storedConfigurations = configurations.map { $0 }
  }

  private static func open(
    _ source: ContainerSchema, _ migrationPlan: (any SchemaMigrationPlan.Type)?,
    _ configurations: [any EngineConfiguration]
  ) throws -> ContainerStores {
    // Ends the sequences of progress updates, even after an error.
    defer { for configuration in configurations { configuration.migrationProgress?.finish() } }
    let plan = try source.plan()
    if let migrationPlan { try MigrationRouter.check(migrationPlan, for: plan.schema) }
    let partition = try StorePartition(plan: plan, configurations: configurations)
    try partition.migrateTogether(migrationPlan)
    let coordinators = try partition.parts.map { part in
      StoreCoordinator(
        engine: try part.configuration.openEngine(plan: part.plan, migrationPlan: migrationPlan),
        entities: part.plan.entities, uniquenessPolicy: part.configuration.uniquenessPolicy)
    }
    return ContainerStores(schema: source, modelTypes: plan.entities.modelTypes, stores: coordinators)
  }

  /// Creates another container of open stores, for a context that outlives its container.
  init(stores: ContainerStores) {
    self.stores = stores
    self.migrationPlan = nil
    self.openedConfigurations = []
    self.storedConfigurations = []
  }

  /// The context for the main actor, with autosave enabled. Apple's.
  ///
  /// The context is released on the main actor, even if another thread releases the last reference to the container.
  @MainActor public var mainContext: ModelContext {
    if let storedMainContext { return storedMainContext.context }
    let context = ModelContext(ownedBy: self)
    context.autosaveEnabled = true
    let owner = MainContextOwner(context)
    let reference = owner.reference
    context.inbox.live {
      Task { @MainActor in reference.context?.takeTurn() }
      return true
    }
    storedMainContext = owner
    return context
  }

  @MainActor
  func saveMainContext() throws {
    try storedMainContext?.context.saveBeforeClosing()
  }

  /// Deletes all rows of all stores. Apple's. Any thread may call it.
  ///
  /// Models in memory become deleted at the next operation of their context, and keep their last values. New models
  /// that are not saved yet stay pending. If a deleted model has unsaved changes, the ``ModelContext/conflictPolicy``
  /// of its context decides: the deletion wins, or the save throws.
  ///
  /// - Throws: `SwiftDataError` of the store. Stores are emptied one by one; if one fails after others were emptied,
  ///   the error names the emptied stores.
  public func erase() throws {
    for (index, store) in stores.stores.enumerated() {
      do {
        try store.erase()
      } catch {
        guard index > 0 else { throw error }
        let (erased, left) = (stores.stores[..<index], stores.stores[index...])
        throw PartialCommit.error(error, erased: erased, left: left)
      }
    }
  }

  /// Deletes all rows of all stores, and logs an error instead of throwing it. Apple's.
  @available(swift, deprecated: 100000, renamed: "erase")
  public func deleteAllData() {
    do {
      try erase()
    } catch {
      Logger.library.error("deleting all data failed: \(error)")
    }
  }

  /// Whether two containers share their stores. Apple's.
  ///
  /// - Parameters:
  ///   - lhs: A container.
  ///   - rhs: Another container.
  public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool {
    lhs.stores === rhs.stores
  }
}

// Ours. The types are nested in Apple's type, because top-level names would clash with those of programs.

extension ModelContainer {
  /// A schema difference that no automatic migration handles, with the reason and the stage that can resolve it. Ours.
  public typealias MigrationObstacle = _PersistenceRuntime.MigrationObstacle
  /// The progress of a migration, as Foundation's `Progress` and as an asynchronous sequence. Ours.
  public typealias MigrationProgress = _PersistenceRuntime.MigrationProgress
  /// The description of one difference between two schemas. Ours.
  public typealias MigrationStep = _PersistenceRuntime.MigrationStep
  /// A problem of a store: what does not match the schema, where it is, and what to do about it. Ours.
  public typealias StoreProblem = _PersistenceRuntime.StoreProblem
}

extension ModelContainer {
  /// The identifier of the store that a configuration describes, which is part of its models' identifiers. Apple's.
  ///
  /// The file contains the identifier: moving the file or renaming the configuration does not change it. Any thread may
  /// call this method.
  ///
  /// - Parameter name: The ``ModelConfiguration/name`` of a configuration that the container was opened with.
  /// - Returns: The identifier; nil if the container has no configuration with this name.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    zip(openedConfigurations, stores.stores).first { $0.0.name == name }?.1.engine.identifier
  }

  /// The name of the configuration of a store. Apple's. Any thread may call it.
  ///
  /// - Parameter identifier: The identifier of a store, such as ``PersistentIdentifier/storeIdentifier``.
  /// - Returns: The name; nil if the container has no store with this identifier. A copied file has the identifier of
  ///   its original; if both are stores of the container, the name of the first one is returned.
  public func configurationName(forStoreIdentifier identifier: String) -> String? {
    zip(openedConfigurations, stores.stores).first { $0.1.engine.identifier == identifier }?.0.name
  }
}

extension ModelContainer {
  /// Saves the contexts with autosave, and closes the stores. Ours.
  ///
  /// Each context saves where its code runs: the main context on the main actor, the context of a model actor on its
  /// executor. If a context has rejected changes, its next ``ModelContext/save()`` throws their errors, not this
  /// method. Contexts without ``ModelContext/autosaveEnabled``, and contexts without a known executor, are not saved.
  ///
  /// Models keep the values that were read. Every later fetch and save throws `SwiftDataError.storeUnreachable`. The
  /// contents of a store in memory are discarded. Closing a closed container does nothing. Any actor may call it.
  ///
  /// A program that ends without closing its containers may lose changes that wait for an autosave. The log reports it.
  ///
  /// - Throws: The error of the first save that failed, or `SwiftDataError.storeBusy` in the middle of a save or a
  ///   transaction of the main context. Nothing is closed then.
  public func close() async throws {
    guard !stores.isClosed else { return }
    try await stores.autosavingContexts.save()
    try await saveAndClose()
  }

  /// Saves the main context, and closes the stores. For programs whose `main` is synchronous. Ours.
  ///
  /// Unlike the asynchronous `close()` it does not save the contexts of model actors.
  ///
  /// - Throws: The error of the save, or `SwiftDataError.storeBusy` in the middle of a save or a transaction of the
  ///   main context. Nothing is closed then.
  @MainActor
  public func close() throws {
    guard !stores.isClosed else { return }
    try saveAndClose()
  }

  @MainActor
  private func saveAndClose() throws {
    try saveMainContext()
    stores.close()
  }
}

extension ModelContainer {
  /// Runs read-only code with a new context on a reader thread of the container. Ours.
  ///
  /// Reader threads are separate from the threads of tasks and actors, so a long query delays neither a save nor
  /// another read. The code reads the state that is committed at its first read. Any actor may call it.
  ///
  /// ```swift
  /// let names = try await container.read { context in
  ///   try context.fetch(FetchDescriptor<Trip>()).map(\.name)
  /// }
  /// ```
  /// - Parameter body: The code. The context and its models must not leave it.
  /// - Returns: The result of `body`.
  /// - Throws: `CancellationError` if the task is cancelled before `body` begins, and any error of `body`.
  public func read<Result>(
    _ body: @Sendable (ModelContext) throws -> sending Result
  ) async throws -> sending Result {
    try await withTaskExecutorPreference(stores.readers) {
      try await runReading(body)
    }
  }

  @concurrent
  private func runReading<Result>(
    _ body: @Sendable (ModelContext) throws -> sending Result
  ) async throws -> sending Result {
    try Task.checkCancellation()
    return try body(ModelContext(self))
  }
}
