import Foundation
import PersistenceContainer
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

extension SchemaMigrationPlan {
  /// Throws if the models of a released version have been changed. Call it in a test of your program. Ours.
  ///
  /// Put the folder under version control. It contains a JSON file with the schema of each version. If the file of a
  /// version is missing, the call writes it and throws, as a reminder to commit the file. From then on, the test fails
  /// if the models are changed without a new version, so the mistake is found before the program opens a user's store.
  /// The error names the differences, and contains Swift code for the original version and for a new version with the
  /// changes.
  ///
  /// The call opens no store. Any thread may call it.
  ///
  /// ```swift
  /// let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "TripsPlan")
  /// try TripsPlan.checkForDrift(in: folder)
  /// ```
  /// - Parameter folder: A folder for this plan only. It is created if it is missing.
  /// - Throws: `SwiftDataError.invalidMigrationPlan` if a version has changed, is missing in the plan, or had no file
  ///   in the folder; `.invalidSchema` if the models of a version contradict each other; `.corruptValue` if a file is
  ///   not a schema; `.storeUnreachable` if the folder or a file cannot be read or written.
  public static func checkForDrift(in folder: URL) throws {
    let records = try schemas.map { try VersionRecord($0, in: folder) }
    try requireNumbers(of: records)
    let drifts = try records.compactMap { try $0.drift(in: Self.self) }
    guard drifts.isEmpty else { throw SwiftDataError(.invalidMigrationPlan, drifts.joined(separator: "\n\n")) }
    try requireAllVersions(records, in: folder)
    let new = records.filter { !$0.exists }
    guard !new.isEmpty else { return }
    for record in new { try record.write() }
    throw SwiftDataError(
      .invalidMigrationPlan,
      "\(new.map(\.file.lastPathComponent).joined(separator: ", ")) had no file in \(folder.path) and has one now: commit "
        + "it, and run the test again.")
  }

  private static func requireNumbers(of records: [VersionRecord]) throws {
    let versions = Dictionary(grouping: records, by: \.file).values.filter { $0.count > 1 }
    guard let same = versions.first else { return }
    throw SwiftDataError(
      .invalidMigrationPlan,
      "\(same.map { "\($0.version)" }.joined(separator: " and ")) of \(Self.self) are both version "
        + "\(same[0].version.versionIdentifier). Give each a number of its own.")
  }

  private static func requireAllVersions(_ records: [VersionRecord], in folder: URL) throws {
    let known = Set(records.map(\.file.lastPathComponent))
    let gone = try VersionRecord.names(in: folder).filter { !known.contains($0) }
    guard !gone.isEmpty else { return }
    throw SwiftDataError(
      .invalidMigrationPlan,
      "\(folder.path) has \(gone.joined(separator: ", ")), and \(Self.self).schemas has no such version: stores that have "
        + "it can no longer be opened. Put the version back, or delete the file if no store has it any more.")
  }
}

/// A version of a plan, the schema of its present models, and the file with the schema that was recorded earlier.
private struct VersionRecord {
  let version: any VersionedSchema.Type
  let schema: Schema
  let file: URL

  init(_ version: any VersionedSchema.Type, in folder: URL) throws {
    self.version = version
    schema = try SchemaPlan(Schema(versionedSchema: version)).schema
    file = folder.appending(path: "\(version.versionIdentifier).json")
  }

  /// The names of the files in a folder; empty if the folder does not exist yet.
  static func names(in folder: URL) throws -> [String] {
    do {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      return names.filter { $0.hasSuffix(".json") }.sorted()
    } catch {
      guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
      throw SwiftDataError(.storeUnreachable, "The files in \(folder.path) cannot be listed.", underlying: error)
    }
  }

  var exists: Bool { FileManager.default.fileExists(atPath: file.path) }

  func write() throws {
    do {
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    } catch {
      throw SwiftDataError(.storeUnreachable, "The folder of \(file.path) cannot be made.", underlying: error)
    }
    try schema.save(to: file)
  }

  /// The message about a version whose models have changed; nil if they have not changed or no file exists yet.
  func drift(in plan: any SchemaMigrationPlan.Type) throws -> String? {
    guard exists else { return nil }
    let stored = try Schema.load(from: file)
    guard !stored.hasSameContent(as: schema) else { return nil }
    let change = SchemaChange(from: stored, to: schema)
    let differences = change.steps.map { "  \($0)" } + change.obstacles.map { "  ! \($0)" }
    return """
      \(version) (\(version.versionIdentifier)) of \(plan) is not what \(file.path) says:
      \(differences.joined(separator: "\n"))
      \(advice(in: plan))

      \(VersionSource(of: version, stored: stored, isLast: isLast(in: plan), isLightweight: change.obstacles.isEmpty))
      """
  }

  /// What to do about the differences.
  private func advice(in plan: any SchemaMigrationPlan.Type) -> String {
    let ifUnknown = "If no store has the version yet, delete the file and run the test again."
    guard let last = plan.schemas.max(by: { $0.versionIdentifier < $1.versionIdentifier }),
      last.versionIdentifier > version.versionIdentifier
    else {
      return "\(ifUnknown) Otherwise keep the version as it was, and give the changes one of their own:"
    }
    return """
      \(ifUnknown) Otherwise the plan has to know it as stores have it, since later versions begin where it ends: put it back \
      as below, and make the changes in \(last) (\(last.versionIdentifier)) if no store has that yet, or else in a new version \
      behind it. A model that several versions name has to be copied into each of them.
      """
  }

  private func isLast(in plan: any SchemaMigrationPlan.Type) -> Bool {
    !plan.schemas.contains { $0.versionIdentifier > version.versionIdentifier }
  }
}
