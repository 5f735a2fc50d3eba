/// The versions of a migration plan, read and checked once.
final class MigrationVersions: Sendable {
  /// One version.
  struct Version: Sendable {
    let type: any VersionedSchema.Type
    let plan: SchemaPlan

    var name: String { "\(type) (\(type.versionIdentifier))" }
  }

  let versions: [Version]
  let stages: [MigrationStage]
  let planName: String

  /// - Throws: `SwiftDataError.invalidMigrationPlan` with everything that is wrong with the plan, or `.invalidSchema`
  ///   with what contradicts itself in a version.
  private init(_ plan: any SchemaMigrationPlan.Type) throws {
    planName = "\(plan)"
    versions = try plan.schemas.map { Version(type: $0, plan: try SchemaPlan(Schema(versionedSchema: $0))) }
    stages = plan.stages
    let problems = emptiness + alikeVersions() + strayStages() + missingStages()
    guard problems.isEmpty else {
      throw SwiftDataError(
        .invalidMigrationPlan,
        "the migration plan \(planName) is contradictory:\n" + problems.map { "  \($0)" }.joined(separator: "\n"))
    }
  }

  private static let known = Lock<[ObjectIdentifier: MigrationVersions]>([:])

  /// The versions of a plan.
  static func of(_ plan: any SchemaMigrationPlan.Type) throws -> MigrationVersions {
    let key = ObjectIdentifier(plan)
    if let versions = known.withLock({ $0[key] }) { return versions }
    let versions = try MigrationVersions(plan)
    known.withLock { $0[key] = versions }
    return versions
  }

  func index(of type: any VersionedSchema.Type) -> Int? { versions.firstIndex { $0.type == type } }

  // MARK: Problems

  private var emptiness: [String] {
    versions.isEmpty ? ["It has no versions. List every version that a store may have in `schemas`."] : []
  }

  private func alikeVersions() -> [String] {
    versions.indices.flatMap { first in
      versions.indices.dropFirst(first + 1).compactMap { second in
        let (one, other) = (versions[first], versions[second])
        guard one.plan.schema.hasSameContent(as: other.plan.schema) else { return nil }
        return "\(one.name) and \(other.name) are alike, so that nobody can tell which of them a store has. "
          + "Give each version models of its own, as they were when it shipped; or leave one of the two out."
      }
    }
  }

  private func strayStages() -> [String] {
    stages.flatMap { stage in
      [stage.fromVersion, stage.toVersion].filter { index(of: $0) == nil }.map {
        "A stage is from \(stage.fromVersion) to \(stage.toVersion), and \($0) is not among the schemas. List it there."
      }
    }
  }

  /// Every version must lead to a later one, and so to the last.
  private func missingStages() -> [String] {
    versions.indices.dropLast().compactMap { index in
      guard !stages.contains(where: { leads($0, onFrom: index) }) else { return nil }
      let next = versions[index + 1]
      return "No stage leads from \(versions[index].name) to \(next.name). "
        + "Add .lightweight(fromVersion: \(versions[index].type).self, toVersion: \(next.type).self), or a .custom one."
    }
  }

  private func leads(_ stage: MigrationStage, onFrom position: Int) -> Bool {
    guard index(of: stage.fromVersion) == position, let end = index(of: stage.toVersion) else { return false }
    return end > position
  }

  // MARK: Ways

  /// The stages from one version to another, all forwards or all backwards, as few as possible.
  func route(from start: Int, to end: Int) -> [MigrationStage]? {
    if start == end { return [] }
    var ways: [Int: [MigrationStage]] = [start: []]
    var waiting = [start]
    while !waiting.isEmpty {
      let position = waiting.removeFirst()
      for stage in stages where index(of: stage.fromVersion) == position {
        guard let next = index(of: stage.toVersion), ways[next] == nil else { continue }
        guard (start < end) == (position < next), next != position else { continue }
        ways[next] = (ways[position] ?? []) + [stage]
        if next == end { return ways[next] }
        waiting.append(next)
      }
    }
    return nil
  }

  /// The position of a container's schema among the versions.
  ///
  /// - Throws: `SwiftDataError.invalidMigrationPlan` when it is not the last version, nor an older one that a stage leads
  ///   back to.
  func position(of schema: Schema) throws -> Int {
    let found = versions.firstIndex { $0.plan.schema.hasSameContent(as: schema) }
    if let found, found == versions.count - 1 || isReachableBackwards(found) { return found }
    guard let last = versions.last else { throw SwiftDataError(.invalidMigrationPlan) }
    let differences = schema.differences(from: last.plan.schema).map { "  \($0)" }.joined(separator: "\n")
    let place = found.map { " It is the older \(versions[$0].name), and no stage leads back to that." } ?? ""
    throw SwiftDataError(
      .invalidMigrationPlan,
      "the migration plan \(planName) ends at \(last.name), which is not the schema of the container.\(place) "
        + "The container's schema differs from it:\n\(differences)\nadd the container's schema to the plan as its last "
        + "version, with a stage that leads to it, or open the container with \(last.name)")
  }

  private func isReachableBackwards(_ position: Int) -> Bool {
    stages.contains { stage in
      guard let from = index(of: stage.fromVersion), let to = index(of: stage.toVersion) else { return false }
      return to == position && from > to
    }
  }
}
