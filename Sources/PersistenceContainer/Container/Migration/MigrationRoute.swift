import PersistenceContext
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The stages of a migration from the stored schema to the schema of the container.
package struct MigrationRoute: MigrationSteps {
  /// A stage with both of its schemas and their difference.
  package struct ResolvedStage: ResolvedMigrationStage {
    package let from: MigrationSchema
    package let to: MigrationSchema
    package let change: SchemaChange
    /// The stage of the migration plan; nil without a plan.
    package let declared: MigrationStage?

    package var keepsOld: Bool { declared?.isTransformation ?? false }

    package var name: String { "\(from.name) to \(to.name)" }

    /// The schema differences that no automatic migration handles; empty if the stage has code that may resolve them.
    package var obstacles: [MigrationObstacle] { declared?.mayClearObstacles == true ? [] : change.obstacles }

    package init(from: MigrationSchema, to: MigrationSchema, declared: MigrationStage?) {
      self.from = from
      self.to = to
      self.declared = declared
      change = SchemaChange(from: from.schema, to: to.schema)
    }
  }

  package let stages: [ResolvedStage]
  /// The path of the store, for messages.
  let path: String
  let uniquenessPolicy: UniquenessPolicy

  init(_ stages: [ResolvedStage], path: String, uniquenessPolicy: UniquenessPolicy) {
    self.stages = stages
    self.path = path
    self.uniquenessPolicy = uniquenessPolicy
  }

  package var resolvedStages: [any ResolvedMigrationStage] { stages }

  /// - Throws: `SwiftDataError.unknownSchema` if a stage without code has a difference that must be resolved by code.
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
    case .custom(_, _, _, let migrate?) where stage.keepsOld:
      try store.change(stage.change, from: stage.from, to: stage.to) { old, new in
        let context = context(on: new, of: stage.to)
        try OldContexts.shared.run(migrate, on: self.context(on: old, of: stage.from), context)
        try context.save()
      }
    case .custom(_, _, let willMigrate, let didMigrate):
      if let willMigrate { try work(willMigrate, on: store, of: stage.from) }
      try store.change(stage.change, from: stage.from, to: stage.to, transform: nil)
      if let didMigrate { try work(didMigrate, on: store, of: stage.to) }
    }
  }

  /// Runs the code of a stage, and saves the changes that the code left unsaved. If a save failed in the code and the
  /// code ignored the error, this save fails again.
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
    let coordinator = StoreCoordinator(
      engine: engine, entities: EntityIndex(schema.layouts), uniquenessPolicy: uniquenessPolicy)
    let stores = ContainerStores(
      schema: ContainerSchema(schema.schema), modelTypes: schema.layouts.map(\.modelType), stores: [coordinator])
    return ModelContext(ModelContainer(stores: stores))
  }
}
