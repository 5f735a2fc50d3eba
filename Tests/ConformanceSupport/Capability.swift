/// A feature that some engines lack. A test that needs one gets its engines from `Engine.with(…)`, which names the
/// feature. A test that needs a feature for some of its checks asks ``Engine/has(_:)``.
///
/// docs/postgresql.md gives the reasons why a store in PostgreSQL lacks some of them. `CapabilityTests` checks that
/// such an engine throws a descriptive error, or does the work in memory.
package enum Capability: String, CaseIterable, Sendable {
  /// Checking a store, and repairing it.
  case check
  /// Copying a store to a file while other code saves.
  case backup
  /// Localized search, comparison and counting of texts, in statements of the store.
  case readingTexts = "reading texts"
  /// Sums of floating-point numbers that do not lose small summands.
  case accurateSums = "accurate sums"
  /// At most one transaction writes at a time. A save does not have to compare the rows that it changes with the values
  /// that the context read.
  case singleWriter = "a single writer"
  /// Features of SQLite itself: its statements, query plans, value types and R-trees.
  case sqlite = "SQLite"
}

extension Engine {
  /// The capabilities that the engine lacks.
  package var missing: Set<Capability> {
    switch self {
    case .file, .memory, .remote: []
    // Scripts/json-store.txt lists further tests that the store in JSON cannot pass.
    case .json: [.check, .backup]
    case .postgres: [.check, .backup, .readingTexts, .accurateSums, .singleWriter, .sqlite]
    }
  }

  package func has(_ capability: Capability) -> Bool { !missing.contains(capability) }

  /// The engines of this run that have all these capabilities.
  package static func with(_ needed: Capability...) -> [Engine] {
    allCases.filter { $0.missing.isDisjoint(with: needed) }
  }
}
