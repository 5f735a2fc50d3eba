import Logging
import PersistenceContext
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The stages that lead from the schema that a store has to another.
package struct MigrationRoute: MigrationSteps {
  /// One stage.
  package struct ResolvedStage: ResolvedMigrationStage {
    package let from: MigrationSchema
    package let to: MigrationSchema
    package let change: SchemaChange
    /// The stage that the plan has for it; nil when there is no plan.
    package let declared: MigrationStage?

    package var keepsOld: Bool {
      if case .transform = declared { true } else { false }
    }

    /// How people call the stage.
    package var name: String { "\(from.name) to \(to.name)" }

    /// What the stage has no code for.
    package var obstacles: [MigrationObstacle] { declared?.mayClearObstacles == true ? [] : change.obstacles }

    package init(from: MigrationSchema, to: MigrationSchema, declared: MigrationStage?) {
      self.from = from
      self.to = to
      self.declared = declared
      change = SchemaChange(from: from.schema, to: to.schema)
    }
  }

  /// The stages in their order, with the code that they have.
  package let stages: [ResolvedStage]
  /// The store, for messages.
  let path: String
  let uniquenessPolicy: UniquenessPolicy

  init(_ stages: [ResolvedStage], path: String, uniquenessPolicy: UniquenessPolicy) {
    self.stages = stages
    self.path = path
    self.uniquenessPolicy = uniquenessPolicy
  }

  package var resolvedStages: [any ResolvedMigrationStage] { stages }

  /// - Throws: `SwiftDataError.unknownSchema` when something needs code that no stage has.
  package func check() throws {
    for stage in stages {
      let remaining = stage.obstacles
      guard remaining.isEmpty else { throw stage.change.error(of: remaining, "the store \(path), from \(stage.name),") }
    }
  }

  // MARK: Running

  package func run(on store: any StoreMigration, reporter: MigrationReporter) throws {
    for (number, stage) in stages.enumerated() {
      reporter.begin(stage: stage.name, number: number + 1)
      do {
        try run(stage, on: store)
      } catch let error as SwiftDataError {
        throw SwiftDataError(
          error.kind, "\(subject(of: stage)): \(error.explanation ?? error.kind.rawValue)",
          underlying: error.underlyingError ?? error)
      } catch {
        throw SwiftDataError(.migrationFailed, "\(subject(of: stage)): a stage threw an error", underlying: error)
      }
    }
  }

  private func subject(of stage: ResolvedStage) -> String {
    "migrating the store \(path) from \(stage.name) failed, and the store is as it was before"
  }

  private func run(_ stage: ResolvedStage, on store: any StoreMigration) throws {
    switch stage.declared {
    case .lightweight, nil:
      try store.change(stage.change, from: stage.from, to: stage.to, transform: nil)
    case .custom(_, _, let willMigrate, let didMigrate):
      if let willMigrate { try work(willMigrate, on: store, of: stage.from) }
      try store.change(stage.change, from: stage.from, to: stage.to, transform: nil)
      if let didMigrate { try work(didMigrate, on: store, of: stage.to) }
    case .transform(_, _, let migrate):
      try store.change(stage.change, from: stage.from, to: stage.to) { old, new in
        let context = context(on: new, of: stage.to)
        try migrate(self.context(on: old, of: stage.from), context)
        try context.save()
      }
    }
  }

  /// Runs the code of a stage, and saves what it leaves unsaved: a failed save that it ignored shows here.
  private func work(
    _ code: (ModelContext) throws -> Void, on store: any StoreMigration, of schema: MigrationSchema
  ) throws {
    try store.withEngine(of: schema) { engine in
      let context = context(on: engine, of: schema)
      try code(context)
      try context.save()
    }
  }

  private func context(on engine: any StoreEngine, of schema: MigrationSchema) -> ModelContext {
    let logger = Logger(label: "SwiftData")
    let coordinator = StoreCoordinator(
      engine: engine, entities: EntityIndex(schema.layouts), logger: logger, uniquenessPolicy: uniquenessPolicy)
    let stores = ContainerStores(
      schema: ContainerSchema(schema.schema), modelTypes: schema.layouts.map(\.modelType), stores: [coordinator],
      logger: logger)
    return ModelContext(ModelContainer(stores: stores))
  }
}
