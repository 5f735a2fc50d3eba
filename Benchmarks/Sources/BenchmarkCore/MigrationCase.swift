/// A migration of a store from the first version of a trip planner to a later version.
public enum MigrationCase: String, CaseIterable, Codable, Sendable {
  /// The table of trips is altered in place: names become unique, two dates are renamed, and a required text is added.
  case lightweight
  /// The table of trips is rebuilt, because in addition the type of a number is widened and an optional number becomes
  /// required.
  case anew
  /// A migration plan with two stages. In the first, code removes trips with duplicate names, and names become unique.
  /// In the second, the dates are renamed.
  case staged

  /// The title in tables.
  public var title: String {
    switch self {
    case .lightweight: "lightweight, tables altered"
    case .anew: "lightweight, tables made anew"
    case .staged: "plan: duplicates removed, then renamed"
    }
  }

  /// True if the store that is migrated has trips with equal names.
  public var hasDuplicates: Bool { self == .staged }
}

/// The measurements of one migration, which ran in a process of its own.
public struct MigrationReport: Codable, Sendable {
  public let sample: Sample
  /// The peak memory of the process, in bytes.
  public let peakMemory: Int

  /// Migrates, and measures the migration.
  public init(of migrate: (Stopwatch) throws -> Void) throws {
    let stopwatch = Stopwatch()
    try migrate(stopwatch)
    guard let sample = stopwatch.samples.last else { throw MigrationReportError.nothingMeasured }
    self.sample = sample
    peakMemory = PeakMemory.ofThisProcess()
  }
}

/// An error that makes a report invalid.
public enum MigrationReportError: Error {
  case nothingMeasured
}
