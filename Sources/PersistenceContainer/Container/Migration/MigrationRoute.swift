import Logging
import PersistenceContext
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The stages that lead from the schema that a store has to another.
package struct MigrationRoute: MigrationSteps {
  /// One stage.
  package struct Leg: MigrationLeg {
    package let from: MigrationSchema
    package let to: MigrationSchema
    package let change: SchemaChange
    /// The stage that the plan has for it; nil when there is no plan.
    package let stage: MigrationStage?

    package var keepsOld: Bool {
      if case .transform = stage { true } else { false }
    }

    /// How people call the stage.
    package var name: String { "\(from.name) to \(to.name)" }

    /// What the stage has no code for.
    package var obstacles: [MigrationObstacle] { stage?.mayClearObstacles == true ? [] : change.obstacles }

    package init(from: MigrationSchema, to: MigrationSchema, stage: MigrationStage?) {
      self.from = from
      self.to = to
      self.stage = stage
      change = SchemaChange(from: from.schema, to: to.schema)
    }
  }

  /// The stages in their order, with the code that they have.
  package let stages: [Leg]
  /// The store, for messages.
  let path: String
  let uniquenessPolicy: UniquenessPolicy

  init(_ stages: [Leg], path: String, uniquenessPolicy: UniquenessPolicy) {
    self.stages = stages
    self.path = path
    self.uniquenessPolicy = uniquenessPolicy
  }

  package var legs: [any MigrationLeg] { stages }

  /// - Throws: `SwiftDataError.unknownSchema` when something needs code that no stage has.
  package func check() throws {
    for leg in stages {
      let remaining = leg.obstacles
      guard remaining.isEmpty else { throw leg.change.error(of: remaining, "the store \(path), from \(leg.name),") }
    }
  }

  // MARK: Running

  package func run(on store: any StoreMigration, reporter: MigrationReporter) throws {
    for (number, leg) in stages.enumerated() {
      reporter.begin(stage: leg.name, number: number + 1)
      do {
        try run(leg, on: store)
      } catch let error as SwiftDataError {
        throw SwiftDataError(
          error.kind, "\(subject(of: leg)): \(error.explanation ?? error.kind.rawValue)",
          underlying: error.underlyingError ?? error)
      } catch {
        throw SwiftDataError(.migrationFailed, "\(subject(of: leg)): a stage threw an error", underlying: error)
      }
    }
  }

  private func subject(of leg: Leg) -> String {
    "migrating the store \(path) from \(leg.name) failed, and the store is as it was before"
  }

  private func run(_ leg: Leg, on store: any StoreMigration) throws {
    switch leg.stage {
    case .lightweight, nil:
      try store.change(leg.change, from: leg.from, to: leg.to, transform: nil)
    case .custom(_, _, let willMigrate, let didMigrate):
      if let willMigrate { try work(willMigrate, on: store, of: leg.from) }
      try store.change(leg.change, from: leg.from, to: leg.to, transform: nil)
      if let didMigrate { try work(didMigrate, on: store, of: leg.to) }
    case .transform(_, _, let migrate):
      try store.change(leg.change, from: leg.from, to: leg.to) { old, new in
        let context = context(on: new, of: leg.to)
        try migrate(self.context(on: old, of: leg.from), context)
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
