import PersistenceRuntime

/// The versions of a schema, oldest first, and the steps that lead from each to the next.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// Every version that a store may still have, from the oldest to the current one.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The steps between neighbouring versions.
  static var stages: [MigrationStage] { get }
}
