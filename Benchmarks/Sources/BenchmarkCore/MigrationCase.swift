/// One way in which a store of the first version of a trip planner becomes one of a later version.
public enum MigrationCase: String, CaseIterable, Codable, Sendable {
  /// The table of trips is altered: names become unique, two dates get other names, a required text is added.
  case lightweight
  /// The table of trips is made anew: besides, a number widens and an optional one becomes required.
  case anew
  /// A plan of two stages: code takes away trips of one name, then names become unique, then the dates are renamed.
  case staged

  /// What the tables call it.
  public var title: String {
    switch self {
    case .lightweight: "lightweight, tables altered"
    case .anew: "lightweight, tables made anew"
    case .staged: "plan: duplicates removed, then renamed"
    }
  }

  /// Whether some names are there twice.
  public var hasDuplicates: Bool { self == .staged }
}

/// What one process found out about one migration.
public struct MigrationReport: Codable, Sendable {
  public let sample: Sample
  /// The most memory that the process ever held, in bytes.
  public let peakMemory: Int

  /// Migrates, and notes what it took.
  public init(of migrate: (Stopwatch) throws -> Void) throws {
    let stopwatch = Stopwatch()
    try migrate(stopwatch)
    guard let sample = stopwatch.samples.last else { throw MigrationReportError.nothingMeasured }
    self.sample = sample
    peakMemory = PeakMemory.ofThisProcess()
  }
}

/// What makes a report worthless.
public enum MigrationReportError: Error {
  case nothingMeasured
}
