import PersistenceRuntime

/// The versions of a schema, and the stages that migrate a store from one to the next. Apple's.
///
/// ```swift
/// enum TripPlan: SchemaMigrationPlan {
///   static let schemas: [any VersionedSchema.Type] = [TripsV1.self, TripsV2.self]
///   static let stages = [MigrationStage.lightweight(fromVersion: TripsV1.self, toVersion: TripsV2.self)]
/// }
/// ```
public protocol SchemaMigrationPlan: SendableMetatype {
  /// Every version that a store may still have, oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The stages between the versions.
  static var stages: [MigrationStage] { get }
}
