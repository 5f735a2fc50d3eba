import PersistenceContainer
import PersistenceSchemas

/// What a migration would do, for people to read before it does it. Ours, not Apple's.
///
/// ```swift
/// print(try ModelContainer.migrationPlan(from: TripsV1.self, to: TripsV2.self))
/// ```
public struct MigrationPlan: Sendable, CustomStringConvertible {
  /// One stage of the migration.
  public struct Stage: Sendable, CustomStringConvertible {
    /// The two versions.
    public let name: String
    /// What kind of stage it is: `lightweight`, `custom` or `transform`; `automatic` without a migration plan.
    public let kind: String
    /// The changes in words.
    public let steps: [ModelContainer.MigrationStep]
    /// What cannot be done from the schemas alone, and is for the code of a stage.
    public let obstacles: [ModelContainer.MigrationObstacle]
    /// The statements that are run, in their order.
    public let sql: [String]

    package init(_ stage: MigrationRoute.ResolvedStage, sql: [String]) {
      name = stage.name
      kind = stage.declared?.kindName ?? "automatic"
      steps = stage.change.steps
      obstacles = stage.change.obstacles
      isPossible = stage.obstacles.isEmpty
      self.sql = sql
    }

    /// Whether the stage can be run: nothing is in the way that its code could not see to.
    public let isPossible: Bool

    public var description: String {
      let lines = steps.map { "  \($0)" } + obstacles.map { "  ! \($0)" } + sql.map { "    \($0);" }
      return (["\(name) (\(kind))"] + lines).joined(separator: "\n")
    }
  }

  /// The stages in their order; none when nothing has to be done.
  public let stages: [Stage]

  package init(stages: [Stage]) {
    self.stages = stages
  }

  /// Whether every stage can be run, as far as the schemas tell; what the data says is found out when it is run.
  public var isPossible: Bool { stages.allSatisfy(\.isPossible) }

  public var description: String {
    stages.isEmpty ? "nothing to migrate" : stages.map(\.description).joined(separator: "\n")
  }
}
