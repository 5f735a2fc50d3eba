import SwiftData

/// An operation of a program, with the number of repetitions. Its cost has to grow in proportion to this number.
struct Operation: Sendable {
  let name: String
  /// The number of repetitions; the second measurement has eight times as many.
  let count: Int
  /// Whether the store has to be a file.
  var needsFile = false
  /// Prepares the world; its cost does not count.
  var prepare: @Sendable (World, Int) throws -> Void = { _, _ in }
  let run: @Sendable (World, Int) throws -> Void

  static let all =
    saves + reads + relations + transactions + contexts + others + combinations + upkeep + liveQueries + programStores
}

/// The error of operations that must fail.
struct Failure: Error {}
