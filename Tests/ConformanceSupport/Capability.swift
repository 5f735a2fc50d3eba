/// What not every engine can do. A test of one capability takes `Engine.with(…)`: the test itself then names what
/// engines may lack. A test of several asks ``Engine/has(_:)``.
///
/// docs/postgresql.md says why a store in PostgreSQL lacks what it lacks. `CapabilityTests` has each refused in words, or done in memory.
package enum Capability: String, CaseIterable, Sendable {
  /// Checking a store, and repairing it.
  case check
  /// Copying a store to a file while others save.
  case backup
  /// Searching, comparing and counting texts as people do, in statements of the store.
  case readingTexts = "reading texts"
  /// Sums of floating-point numbers to which small summands are not lost.
  case accurateSums = "accurate sums"
  /// One transaction at a time. A save need not compare the rows that it changes with what the context has read.
  case singleWriter = "a single writer"
  /// SQLite itself: its statements, its plans, its types of values, and its indexes over points.
  case sqlite = "SQLite"
}

extension Engine {
  /// What the engine lacks.
  package var missing: Set<Capability> {
    switch self {
    case .file, .memory, .remote: []
    // What else it cannot do is in Scripts/json-store.txt, test by test.
    case .json: [.check, .backup]
    case .postgres: [.check, .backup, .readingTexts, .accurateSums, .singleWriter, .sqlite]
    }
  }

  package func has(_ capability: Capability) -> Bool { !missing.contains(capability) }

  /// The engines of a run that can do some things.
  package static func with(_ needed: Capability...) -> [Engine] {
    allCases.filter { $0.missing.isDisjoint(with: needed) }
  }
}
