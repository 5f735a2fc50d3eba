import SwiftData

/// Something that a program does so and so often, and that may cost so and so many times as much.
struct Operation: Sendable {
  let name: String
  /// How often it is done at first; then eight times as often.
  let count: Int
  /// Whether the store has to be a file.
  var needsFile = false
  /// What is there before; its cost does not count.
  var prepare: @Sendable (World, Int) throws -> Void = { _, _ in }
  let run: @Sendable (World, Int) throws -> Void

  static let all =
    saves + reads + relations + transactions + contexts + others + combinations + upkeep + liveQueries + programStores
}

/// What operations that must fail throw.
struct Failure: Error {}
