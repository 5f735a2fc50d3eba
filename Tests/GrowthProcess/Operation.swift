import SwiftData

/// An operation that a program can run repeatedly. Its cost must grow in proportion to the number of repetitions.
struct Operation: Sendable {
  let name: String
  /// The usual number of repetitions. The second measurement runs eight times as many.
  let count: Int
  /// Whether the operation needs a store in a file.
  var needsFile = false
  /// Inserts the data that the operation needs. Its CPU time is not measured.
  var prepare: @Sendable (World, Int) throws -> Void = { _, _ in }
  let run: @Sendable (World, Int) throws -> Void

  static let all =
    saves + reads + relations + transactions + contexts + others + combinations + upkeep + liveQueries + programStores
}

/// The error that operations throw on purpose.
struct Failure: Error {}
