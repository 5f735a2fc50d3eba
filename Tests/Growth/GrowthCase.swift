import ConformanceSupport
import SwiftData
import Testing

/// An operation of the program `GrowthProcess` on one kind of store.
struct GrowthCase: CustomTestStringConvertible {
  let operation: String
  let engine: Engine

  /// How many times more than in proportion eight times as much may cost: caches get less use of what is larger. What is
  /// quadratic costs eight times more.
  static let tolerance = 2.5

  /// So many bytes may be kept by each round of the usual size: what allocators and caches do.
  ///
  /// In a larger round it is more in proportion: an identity map that lives on takes a block for every 16,384 keys, and
  /// gives the empty ones back when there are 32. A leak takes at least eight for each object.
  static let keptBytes = 6_000

  var testDescription: String { "\(operation), \(engine.testDescription)" }

  /// All of them in a soak, else a different quarter with each run.
  static func chosen() throws -> [GrowthCase] {
    let start = Int(RandomTesting.seed % 4)
    return try all().enumerated().filter { RandomTesting.soak > 1 || $0.offset % 4 == start }.map(\.element)
  }

  private static func all() throws -> [GrowthCase] {
    try lines(of: ["list"]).flatMap { line in
      let (kind, operation) = (line.prefix { $0 != " " }, String(line.drop { $0 != " " }.dropFirst()))
      return Engine.sqlite.filter { $0 == .file || kind == "any" }.map {
        GrowthCase(operation: operation, engine: $0)
      }
    }
  }

  /// - Parameters:
  ///   - factor: How much of the operation is done, as a multiple of the usual.
  ///   - runs: How often it is done; the shortest time counts.
  func result(factor: Int, runs: Int) throws -> GrowthResult {
    try GrowthResult(Self.lines(of: [operation, engine.rawValue, "\(factor)", "\(runs)"]))
  }

  private static func lines(of arguments: [String]) throws -> [String] {
    let (lines, status) = try ProgramProcess("GrowthProcess", arguments).end()
    try #require(status == 0, "GrowthProcess \(arguments) ended with \(status): \(lines)")
    return lines
  }
}

/// What a process measured.
struct GrowthResult: CustomStringConvertible {
  /// The processor's time of the operation, and of eight times as much.
  let seconds: (one: Double, eight: Double)
  /// How many times more than in proportion the latter is.
  var ratio: Double { seconds.eight / (8 * seconds.one) }
  /// What each further round leaves in memory, in new contexts or in one, whichever is more.
  let keptBytes: Int
  /// How many models there are when all contexts are gone or have saved.
  let livingObjects: Int

  init(_ lines: [String]) throws {
    let words = lines.map { $0.split(separator: " ").map(String.init) }
    func numbers(_ name: String) throws -> [Double] {
      try #require(words.first { $0.first == name }?.dropFirst().compactMap(Double.init), "\(name) in \(lines)")
    }
    let times = try numbers("seconds")
    let (container, context) = (try numbers("container"), try numbers("context"))
    seconds = (times[0], times[1])
    keptBytes = Int(max(container[0], context[0]))
    livingObjects = Int(max(container[1], context[1]))
  }

  var description: String {
    "\(seconds.one) s and \(seconds.eight) s, \(ratio) times more than in proportion; \(keptBytes) bytes kept a round"
  }
}
