import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The versions of a migration plan, read once per process. Only the versions up to a container's own are checked.
final class MigrationVersions: Sendable {
  struct Version: Sendable {
    let type: any VersionedSchema.Type
    /// The layouts of its models, or the error of an invalid schema.
    let read: Result<SchemaPlan, any Error>

    /// The layouts; nil for an invalid schema. Only versions that are later than the container's may be invalid.
    var plan: SchemaPlan? { try? read.get() }
    var name: String { "\(type) (\(type.versionIdentifier))" }
  }

  let versions: [Version]
  let stages: [MigrationStage]
  let planName: String
  /// The positions up to which ``check(upTo:)`` has found no problem.
  private let checked = Lock<Set<Int>>([])

  private init(_ plan: any SchemaMigrationPlan.Type) {
    planName = "\(plan)"
    versions = plan.schemas.map { type in
      Version(type: type, read: Result { try SchemaPlan(Schema(versionedSchema: type)) })
    }
    stages = plan.stages
  }

  private static let known = Lock<[ObjectIdentifier: MigrationVersions]>([:])

  static func of(_ plan: any SchemaMigrationPlan.Type) -> MigrationVersions {
    let key = ObjectIdentifier(plan)
    if let versions = known.withLock({ $0[key] }) { return versions }
    let versions = MigrationVersions(plan)
    // An error may disappear, for example when a missing transformer is registered later. So it is not cached.
    if versions.versions.allSatisfy({ $0.plan != nil }) { known.withLock { $0[key] = versions } }
    return versions
  }

  func index(of type: any VersionedSchema.Type) -> Int? { versions.firstIndex { $0.type == type } }

  // MARK: The container's version

  /// The position of a container's schema among the versions.
  ///
  /// This version need not be the last: an older program, or a test of an older version, may have a plan with later
  /// versions. Later versions are not checked.
  /// - Throws: `SwiftDataError.invalidMigrationPlan` if no version has the schema, or if the plan has problems up to
  ///   the schema's position (the error lists all); `.invalidSchema` if a version up to that position is invalid.
  func position(of schema: Schema) throws -> Int {
    // Finds the last of several equal versions, so that the check covers all of them and reports them.
    let found = versions.lastIndex { $0.plan?.schema.hasSameContent(as: schema) == true }
    try check(upTo: found ?? versions.count - 1)
    guard let found else { throw missing(schema) }
    return found
  }

  private func missing(_ schema: Schema) -> SwiftDataError {
    let last = versions.last
    let lines = (last?.plan?.schema).map { schema.differences(from: $0) } ?? []
    let name = last?.name ?? "no version"
    return SwiftDataError(
      .invalidMigrationPlan,
      "the migration plan \(planName) ends at \(name), and none of its versions is the schema of the container, which "
        + "differs from the last:\n\(lines.map { "  \($0)" }.joined(separator: "\n"))\nadd the container's schema to "
        + "the plan as its last version, with a stage that leads to it, or open the container with \(name)")
  }

  // MARK: Problems

  private func check(upTo position: Int) throws {
    guard !checked.withLock({ $0.contains(position) }) else { return }
    for version in versions.prefix(position + 1) { _ = try version.read.get() }
    let problems =
      emptiness + alikeVersions(upTo: position) + strayStages(upTo: position) + missingStages(upTo: position)
    guard problems.isEmpty else {
      throw SwiftDataError(
        .invalidMigrationPlan,
        "the migration plan \(planName) is contradictory:\n" + problems.map { "  \($0)" }.joined(separator: "\n"))
    }
    checked.withLock { _ = $0.insert(position) }
  }

  private var emptiness: [String] {
    versions.isEmpty ? ["It has no versions. List every version that a store may have in `schemas`."] : []
  }

  private func alikeVersions(upTo position: Int) -> [String] {
    let versions = versions.prefix(position + 1)
    return versions.indices.flatMap { first in
      versions.indices.dropFirst(first + 1).compactMap { second in
        let (one, other) = (versions[first], versions[second])
        guard let schema = one.plan?.schema, let otherSchema = other.plan?.schema,
          schema.hasSameContent(as: otherSchema)
        else { return nil }
        return "\(one.name) and \(other.name) are alike, so a store of one cannot be told from a store of the other. "
          + "Give each version models of its own, as they were when it shipped; or leave one of the two out."
      }
    }
  }

  private func strayStages(upTo position: Int) -> [String] {
    stages.filter { concerns($0, upTo: position) }.flatMap { stage in
      [stage.fromVersion, stage.toVersion].filter { index(of: $0) == nil }.map {
        "A stage is from \(stage.fromVersion) to \(stage.toVersion), and \($0) is not among the schemas. List it there."
      }
    }
  }

  /// Whether a check up to a position includes the stage: its start is before the position, or its end is not after it.
  private func concerns(_ stage: MigrationStage, upTo position: Int) -> Bool {
    guard position < versions.count - 1 else { return true }
    if let start = index(of: stage.fromVersion), start < position { return true }
    return index(of: stage.toVersion).map { $0 <= position } ?? false
  }

  /// For each version before a position, a message if no stage connects it with a later version in either direction.
  private func missingStages(upTo position: Int) -> [String] {
    versions.indices.prefix(max(0, position)).compactMap { index in
      guard !stages.contains(where: { leads($0, onFrom: index) || leads($0, backTo: index) }) else { return nil }
      let next = versions[index + 1]
      return "No stage leads from \(versions[index].name) to \(next.name). "
        + "Add .lightweight(fromVersion: \(versions[index].type).self, toVersion: \(next.type).self), or a .custom one."
    }
  }

  private func leads(_ stage: MigrationStage, onFrom position: Int) -> Bool {
    guard index(of: stage.fromVersion) == position, let end = index(of: stage.toVersion) else { return false }
    return end > position
  }

  private func leads(_ stage: MigrationStage, backTo position: Int) -> Bool {
    guard index(of: stage.toVersion) == position, let start = index(of: stage.fromVersion) else { return false }
    return start > position
  }

  // MARK: Routes

  /// The shortest list of stages from one version to another, all forwards or all backwards; nil if there is none.
  func route(from start: Int, to end: Int) -> [MigrationStage]? {
    if start == end { return [] }
    var routes: [Int: [MigrationStage]] = [start: []]
    var queue = [start]
    while !queue.isEmpty {
      let position = queue.removeFirst()
      for stage in stages where index(of: stage.fromVersion) == position {
        guard let next = index(of: stage.toVersion), routes[next] == nil else { continue }
        guard (start < end) == (position < next), next != position else { continue }
        routes[next] = (routes[position] ?? []) + [stage]
        if next == end { return routes[next] }
        queue.append(next)
      }
    }
    return nil
  }
}
