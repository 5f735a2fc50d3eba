import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// Finds the stages from the stored schema of a store to the schema that it is opened with.
package struct MigrationRouter: Sendable {
  private let target: SchemaPlan
  private let versions: MigrationVersions?
  private let path: String
  private let uniquenessPolicy: UniquenessPolicy

  /// - Parameters:
  ///   - target: The schema that the store is opened with: the container's, or the entities of one configuration.
  ///   - plan: The migration plan; nil for one automatic stage.
  ///   - path: The path of the store, for messages.
  ///   - uniquenessPolicy: The uniqueness policy of the contexts that the code of stages gets.
  package init(
    to target: SchemaPlan, plan: (any SchemaMigrationPlan.Type)?, path: String,
    uniquenessPolicy: UniquenessPolicy = .updateExisting
  ) {
    self.target = target
    self.versions = plan.map { MigrationVersions.of($0) }
    self.path = path
    self.uniquenessPolicy = uniquenessPolicy
  }

  /// Checks the versions and stages of a plan, up to the version that has the schema of a container.
  ///
  /// - Throws: `SwiftDataError.invalidMigrationPlan`, or `.invalidSchema` of a version.
  package static func check(_ plan: any SchemaMigrationPlan.Type, for schema: Schema) throws {
    _ = try MigrationVersions.of(plan).position(of: schema)
  }

  /// The stages for a store; nil if it has the target schema already.
  ///
  /// - Parameter json: The stored schema.
  /// - Throws: `SwiftDataError.unknownSchema` or `.backwardMigration`, which describe the difference.
  package func route(from json: String) throws -> MigrationRoute? {
    let stored = try MigrationSchema(storedJSON: json, path: path)
    guard !stored.schema.hasSameContent(as: target.schema) else { return nil }
    guard let versions else { return try direct(from: stored) }
    return try staged(from: stored, versions)
  }

  // MARK: Without a plan

  private func direct(from stored: MigrationSchema) throws -> MigrationRoute {
    guard stored.schema.version <= target.schema.version else {
      throw SwiftDataError(
        .backwardMigration,
        "the store \(path) was written by version \(stored.schema.version) of the schema, and this is "
          + "\(target.schema.version), which lacks what the store may have:\n\(differences(from: stored.schema))\n"
          + "open it with the newer version, or use a migration plan with a stage that leads back")
    }
    let target = MigrationSchema(target, name: "the schema of the container")
    return MigrationRoute(
      [MigrationRoute.ResolvedStage(from: stored, to: target, declared: nil)], path: path,
      uniquenessPolicy: uniquenessPolicy)
  }

  // MARK: With a plan

  private func staged(from stored: MigrationSchema, _ versions: MigrationVersions) throws -> MigrationRoute {
    let end = try versions.position(of: target.whole.schema)
    let plans = plans(of: versions, for: stored.schema)
    // The store may hold only some entities, which may be equal in several versions. The oldest of these versions is
    // the start, so that no stage is skipped.
    guard let start = plans.firstIndex(where: { $0?.schema.hasSameContent(as: stored.schema) == true }) else {
      throw unknown(stored.schema, versions, plans, end)
    }
    // If an entity was moved to another configuration, this store still has it. Such a difference is an error.
    guard plans[end]?.schema.hasSameContent(as: target.schema) == true else {
      throw unknown(target.schema, versions, plans, end)
    }
    guard let stages = versions.route(from: start, to: end) else {
      throw noRoute(from: versions.versions[start], to: versions.versions[end], stored, versions, isBack: start > end)
    }
    let resolved = stages.compactMap { stage -> MigrationRoute.ResolvedStage? in
      guard let from = versions.index(of: stage.fromVersion), let to = versions.index(of: stage.toVersion),
        let before = plans[from], let after = plans[to]
      else { return nil }
      return MigrationRoute.ResolvedStage(
        from: MigrationSchema(before, name: versions.versions[from].name),
        to: MigrationSchema(after, name: versions.versions[to].name), declared: stage)
    }
    guard resolved.count == stages.count else {
      throw noRoute(from: versions.versions[start], to: versions.versions[end], stored, versions, isBack: start > end)
    }
    return MigrationRoute(resolved, path: path, uniquenessPolicy: uniquenessPolicy)
  }

  private func noRoute(
    from start: MigrationVersions.Version, to end: MigrationVersions.Version, _ stored: MigrationSchema,
    _ versions: MigrationVersions, isBack: Bool
  ) -> SwiftDataError {
    let differences = differences(from: stored.schema)
    guard isBack else {
      return SwiftDataError(
        .invalidMigrationPlan,
        "the store \(path) has \(start.name), and no stages of \(versions.planName) lead from there to \(end.name) of "
          + "the container:\n\(differences)\nadd .lightweight(fromVersion: \(start.type).self, toVersion: "
          + "\(end.type).self), or a .custom one; the store has not been changed")
    }
    return SwiftDataError(
      .backwardMigration,
      "the store \(path) has \(start.name), which is newer than \(end.name) of the container, and no stage leads back:\n"
        + "\(differences)\nopen it with the newer version, or add stages that lead back")
  }

  /// For each version, the part with the entities that the store contains; nil for a version with an invalid schema.
  private func plans(of versions: MigrationVersions, for stored: Schema) -> [SchemaPlan?] {
    let plans = versions.versions.map(\.plan)
    guard target.whole !== target else { return plans }
    let names = Set((stored.entities + target.schema.entities).map(\.name))
    return plans.map { plan in plan.flatMap { try? Self.part(of: $0, names) } }
  }

  /// The entities of a version that the store holds: all of them, or those of the store's configuration.
  private static func part(of plan: SchemaPlan, _ names: Set<String>) throws -> SchemaPlan {
    let types = plan.schema.entities.filter { names.contains($0.name) }.compactMap(\.modelType)
    guard types.count < plan.schema.entities.count else { return plan }
    let part = Schema(types, version: plan.schema.version)
    // `Schema` adds the missing destinations of relationships. If it added any, the named entities cannot form a store
    // of their own.
    return part.entities.count == types.count ? try SchemaPlan(part) : plan
  }

  private func unknown(
    _ stored: Schema, _ versions: MigrationVersions, _ plans: [SchemaPlan?], _ end: Int
  ) -> SwiftDataError {
    let differences = plans.map { plan in plan.map { stored.differences(from: $0.schema) } }
    let known = plans.indices.filter { plans[$0] != nil }
    let nearest = known.min { (differences[$0]?.count ?? 0) < (differences[$1]?.count ?? 0) }
    let list = (nearest.flatMap { differences[$0] } ?? []).map { "  \($0)" }.joined(separator: "\n")
    let name = nearest.map { versions.versions[$0].name } ?? "none"
    let newest = versions.versions.last?.type.versionIdentifier
    let isNewer = stored.version > versions.versions[end].type.versionIdentifier
    let isOutside = newest.map { stored.version > $0 } ?? false
    let advice =
      !isNewer
      ? "add the version that wrote it to the plan, with its models as they were, or use another file"
      : "it is of version \(stored.version), newer than \(isOutside ? "the plan" : versions.versions[end].name); update "
        + "the program, or add its version to the plan"
    return SwiftDataError(
      isNewer ? .backwardMigration : .unknownSchema,
      "the store \(path) has a schema that is none of the versions of \(versions.planName). "
        + "What it has more or less than the nearest, \(name):\n\(list)\n\(advice)")
  }

  private func differences(from stored: Schema) -> String {
    target.schema.differences(from: stored).map { "  \($0)" }.joined(separator: "\n")
  }
}
