import Foundation
import Logging
import PersistenceContext
import PersistenceRuntime
import PersistenceSchemas

/// The stores of a program's models. Contexts are made of it, and it may be sent anywhere.
///
/// ```swift
/// let container = try ModelContainer(for: Trip.self)
/// let context = ModelContext(container)
/// ```
public final class ModelContainer: Equatable, @unchecked Sendable {
  // Unchecked: everything is constant but the main context, which only the main actor touches, and the configurations,
  // which are behind a lock.

  package let stores: ContainerStores
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  private let configurationsLock = NSLock()
  /// Made a set when somebody asks for it: hashing a configuration takes a part of opening a store that can be measured.
  private var storedConfigurations: [ModelConfiguration]
  @MainActor private var storedMainContext: MainContextOwner?

  /// The schema that the container was opened with.
  public var schema: Schema { stores.schema.value }

  /// The configurations that the container was made with. Setting it changes nothing about open stores.
  public var configurations: Set<ModelConfiguration> {
    get { configurationsLock.withLock { Set(storedConfigurations) } }
    set { configurationsLock.withLock { storedConfigurations = Array(newValue) } }
  }

  /// Opens the stores of a schema.
  ///
  /// - Parameters:
  ///   - source: The schema, or the models to make it of.
  ///   - migrateTogether: Migrates several stores, all of them or none, before any is opened.
  ///   - open: Makes the engine of a configuration for the entities that it is to hold.
  package init(
    _ source: ContainerSchema, migrationPlan: (any SchemaMigrationPlan.Type)?, configurations: [ModelConfiguration],
    migrateTogether: ([(configuration: ModelConfiguration, plan: SchemaPlan)], (any SchemaMigrationPlan.Type)?) throws
      -> Void = { _, _ in },
    open: (ModelConfiguration, SchemaPlan, (any SchemaMigrationPlan.Type)?) throws -> any StoreEngine
  ) throws {
    // Whoever waits for updates hears of the end, however it ends.
    defer { for configuration in configurations { configuration.migrationProgress?.finish() } }
    let plan = try source.plan()
    if let migrationPlan { try MigrationRouter.check(migrationPlan, for: plan.schema) }
    let configurations = configurations.isEmpty ? [ModelConfiguration()] : configurations
    let parts = try StorePartition(plan: plan, configurations: configurations).parts
    // A logger keeps to what the program had chosen for its log when it was made.
    let logger = Logger(label: "SwiftData")
    if parts.count > 1 { try migrateTogether(parts, migrationPlan) }
    let coordinators = try parts.map { part in
      StoreCoordinator(
        engine: try open(part.configuration, part.plan, migrationPlan), entities: part.plan.entities, logger: logger,
        uniquenessPolicy: part.configuration.uniquenessPolicy)
    }
    self.stores = ContainerStores(
      schema: source, modelTypes: plan.entities.modelTypes, stores: coordinators, logger: logger)
    self.migrationPlan = migrationPlan
    self.storedConfigurations = configurations
  }

  /// Makes another handle of stores that are open, for a context that outlives its container.
  init(stores: ContainerStores) {
    self.stores = stores
    self.migrationPlan = nil
    self.storedConfigurations = []
  }

  /// The context of the main actor, which saves by itself.
  ///
  /// It ends on the main actor, wherever the last reference to the container goes.
  @MainActor public var mainContext: ModelContext {
    if let storedMainContext { return storedMainContext.context }
    let context = ModelContext(ownedBy: self)
    context.autosaveEnabled = true
    let owner = MainContextOwner(context)
    let reference = owner.reference
    context.inbox.live {
      Task { @MainActor in reference.context?.receiveChanges() }
      return true
    }
    storedMainContext = owner
    return context
  }

  @MainActor
  func saveMainContext() throws {
    try storedMainContext?.context.saveBeforeClosing()
  }

  /// Removes every model from the stores.
  ///
  /// Contexts hear of it as of any other deletion: with their next operation their models say that they are deleted, and
  /// keep their last values. New models that wait to be saved still do, and are the first ones of the empty store; what
  /// was changed and not saved is decided by the ``ModelContext/conflictPolicy``, which lets the deletion win or throws.
  ///
  /// - Throws: `SwiftDataError` of the store. Stores are emptied one after the other: where one fails after others, the
  ///   error says which are empty.
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

  /// As ``erase()``, but a failure is only logged. Part of Apple's interface since before it could throw.
  @available(swift, deprecated: 100000, renamed: "erase")
  public func deleteAllData() {
    do {
      try erase()
    } catch {
      stores.logger.error("deleting all data failed: \(error)")
    }
  }

  /// Two containers are equal when they share their stores.
  public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool {
    lhs.stores === rhs.stores
  }
}
