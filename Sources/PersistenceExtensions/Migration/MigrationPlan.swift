import PersistenceContainer
import PersistenceSchemas

/// The description of a migration: its stages, differences and SQL. Ours. `print` shows all of it.
///
/// ```swift
/// print(try ModelContainer.migrationPlan(from: TripsV1.self, to: TripsV2.self))
/// ```
public struct MigrationPlan: Sendable, CustomStringConvertible {
  /// The description of one stage. Ours.
  public struct Stage: Sendable, CustomStringConvertible {
    /// The names of the two versions.
    public let name: String
    /// The kind of the stage: `lightweight`, `custom` or `transform`; `automatic` without a migration plan.
    public let kind: String
    /// The differences of the two schemas.
    public let steps: [ModelContainer.MigrationStep]
    /// The differences that no automatic migration handles.
    public let obstacles: [ModelContainer.MigrationObstacle]
    /// The SQL statements, in order.
    public let sql: [String]

    package init(_ stage: MigrationRoute.ResolvedStage, sql: [String]) {
      name = stage.name
      kind = stage.declared?.kindName ?? "automatic"
      steps = stage.change.steps
      obstacles = stage.change.obstacles
      isPossible = stage.obstacles.isEmpty
      self.sql = sql
    }

    /// Whether the stage can run: either it has no obstacles, or it has code that may resolve them.
    public let isPossible: Bool

    /// The stage, its differences and its SQL, in several lines.
    public var description: String {
      let lines = steps.map { "  \($0)" } + obstacles.map { "  ! \($0)" } + sql.map { "    \($0);" }
      return (["\(name) (\(kind))"] + lines).joined(separator: "\n")
    }
  }

  /// The stages, in order; empty if the schemas are equal.
  public let stages: [Stage]

  package init(stages: [Stage]) {
    self.stages = stages
  }

  /// Whether the schemas allow every stage to run. A stage may still fail because of the values in the rows.
  public var isPossible: Bool { stages.allSatisfy(\.isPossible) }

  /// All stages, in several lines.
  public var description: String {
    stages.isEmpty ? "nothing to migrate" : stages.map(\.description).joined(separator: "\n")
  }
}
