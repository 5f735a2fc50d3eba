import PersistenceContext
import PersistenceRuntime
import PersistenceSupport

extension MigrationStage {
  /// A stage whose code reads the old objects and changes the new ones. Ours.
  ///
  /// The code runs after the tables have changed. The new objects have the identifiers of the old ones. An attribute
  /// that cannot be filled from the old row has its default, or else an empty value such as 0 or an empty text, until
  /// the code sets it. `old` is read-only; `new` is saved after the code returns.
  ///
  /// The returned value is a ``custom(fromVersion:toVersion:willMigrate:didMigrate:)`` stage: a third case would break
  /// `switch` statements written for Apple's framework. Its ``toVersion`` is the version that is given here.
  ///
  /// ```swift
  /// MigrationStage.transform(fromVersion: V1.self, toVersion: V2.self) { old, new in
  ///   for task in try old.fetch(FetchDescriptor<V1.Task>()) {
  ///     (new.model(for: task.persistentModelID) as? V2.Task)?.minutes = Int(task.minutes) ?? 0
  ///   }
  /// }
  /// ```
  /// - Parameters:
  ///   - fromVersion: The version before the stage.
  ///   - toVersion: The version after the stage.
  ///   - migrate: The code.
  /// - Returns: The stage.
  public static func transform(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    migrate: @escaping @Sendable (_ old: ModelContext, _ new: ModelContext) throws -> Void
  ) -> MigrationStage {
    .custom(
      fromVersion: fromVersion, toVersion: marked(toVersion), willMigrate: nil,
      didMigrate: { new in try migrate(try OldContexts.shared.context(beside: new), new) })
  }

  private static func marked<Version: VersionedSchema>(_ version: Version.Type) -> any VersionedSchema.Type {
    Transformed<Version>.self
  }

  /// Wraps the version after a stage whose code sees both schemas. This type distinguishes the stage from other custom
  /// stages, because closures cannot be compared.
  private enum Transformed<Version: VersionedSchema>: TransformationMark {
    static var models: [any PersistentModel.Type] { Version.models }
    static var versionIdentifier: Schema.Version { Version.versionIdentifier }
    static var version: any VersionedSchema.Type { Version.self }
  }
}

/// A type that wraps the version after a stage whose code sees both schemas.
protocol TransformationMark: VersionedSchema {
  static var version: any VersionedSchema.Type { get }
}

/// Finds the context of the old schema by the context of the new schema, while the code of a stage runs.
final class OldContexts: Sendable {
  static let shared = OldContexts()

  private let contexts = Lock<[ObjectIdentifier: Transfer<ModelContext>]>([:])

  /// Runs the code of a stage. Meanwhile ``context(beside:)`` returns `old` for `new`.
  func run(_ code: (ModelContext) throws -> Void, on old: ModelContext, _ new: ModelContext) throws {
    let (key, old) = (ObjectIdentifier(new), Transfer(old))
    contexts.withLock { $0[key] = old }
    defer { _ = contexts.withLock { $0.removeValue(forKey: key) } }
    try code(new)
  }

  /// The old schema's context, for the code of a stage. Both contexts are used only on the thread that runs the code.
  ///
  /// - Throws: `SwiftDataError.migrationFailed` outside of a migration.
  func context(beside new: ModelContext) throws -> ModelContext {
    let key = ObjectIdentifier(new)
    guard let old = contexts.withLock({ $0[key] }) else {
      throw SwiftDataError(
        .migrationFailed,
        "the code of a stage that sees both schemas was called outside of its migration, where no old models are; "
          + "give the stage to a migration plan")
    }
    return old.value
  }
}
