import Foundation
import Logging
import PersistenceContext
import PersistenceRuntime
import PersistenceSchemas

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
  // Unchecked: only the main actor touches the main context, a lock guards the configurations, the rest is constant.

  package let stores: ContainerStores
  /// The migration plan of the container; nil without one. Apple's.
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  private let configurationsLock = NSLock()
  /// An array, which becomes a set on demand: hashing a configuration takes a measurable part of opening a store.
  private var storedConfigurations: [any DataStoreConfiguration]
  @MainActor private var storedMainContext: MainContextOwner?

  /// The schema that the container was opened with. Apple's.
  public var schema: Schema { stores.schema.value }

  /// The configurations of the type ``ModelConfiguration`` that the container was opened with. Apple's.
  ///
  /// Setting them does not change open stores. Any thread may use them.
  public var configurations: Set<ModelConfiguration> {
    get { configurationsLock.withLock { Set(storedConfigurations.compactMap { $0 as? ModelConfiguration }) } }
    set { configurationsLock.withLock { storedConfigurations = Array(newValue) } }
  }

  /// Opens the stores of a schema.
  ///
  /// - Parameters:
  ///   - source: The schema, or the models that it is made of.
  ///   - migrationPlan: The versions and stages for stores with another schema; nil for automatic migrations.
  ///   - configurations: One or more, each with the engine of its store.
  /// - Throws: `SwiftDataError` of the schema, of the plan or of a configuration, and the errors of the engines.
  package init(
    _ source: ContainerSchema, migrationPlan: (any SchemaMigrationPlan.Type)?,
    configurations: [any EngineConfiguration]
  ) throws {
    // Ends the sequences of progress updates, after errors too.
    defer { for configuration in configurations { configuration.migrationProgress?.finish() } }
    let plan = try source.plan()
    if let migrationPlan { try MigrationRouter.check(migrationPlan, for: plan.schema) }
    let partition = try StorePartition(plan: plan, configurations: configurations)
    // Created here: a logger keeps the log handler that the program had chosen when the logger was created.
    let logger = Logger(label: "SwiftData")
    try partition.migrateTogether(migrationPlan)
    let coordinators = try partition.parts.map { part in
      StoreCoordinator(
        engine: try part.configuration.openEngine(plan: part.plan, migrationPlan: migrationPlan),
        entities: part.plan.entities, logger: logger, uniquenessPolicy: part.configuration.uniquenessPolicy)
    }
    self.stores = ContainerStores(
      schema: source, modelTypes: plan.entities.modelTypes, stores: coordinators, logger: logger)
    self.migrationPlan = migrationPlan
    self.storedConfigurations = configurations
  }

  /// Creates another container of open stores, for a context that outlives its container.
  init(stores: ContainerStores) {
    self.stores = stores
    self.migrationPlan = nil
    self.storedConfigurations = []
  }

  /// The context for the main actor, with autosave enabled. Apple's.
  ///
  /// It is released on the main actor, whichever thread releases the last reference to the container.
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

  /// Deletes all rows of all stores. Apple's. Any thread may call it.
  ///
  /// Models of contexts become deleted with the next operation of their context, and keep their last values. Unsaved
  /// new models stay pending. For unsaved changes the ``ModelContext/conflictPolicy`` of the context applies: the
  /// deletion wins, or the save throws.
  ///
  /// - Throws: `SwiftDataError` of the store. Stores are emptied one by one; if one fails after others, the error says
  ///   which are empty.
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
      stores.logger.error("deleting all data failed: \(error)")
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
